"""What tests share: servers, small projects, formulas to draw, and evaluators that share no code with ours."""
