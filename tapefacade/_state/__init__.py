"""What can change."""
