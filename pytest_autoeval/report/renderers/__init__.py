"""The screens: each prints any document, and knows the kinds of its blocks and no subject."""
