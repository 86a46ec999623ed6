"""What an answer says: yes or no, a number, an order, a label, phrases, symbols, or a refusal. Never a guess."""
