"""What is differentiated."""
