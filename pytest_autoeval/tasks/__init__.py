"""What a model is asked to do, and how what it did is recorded. Nothing here knows pytest."""
