"""What is reused: functions, branches and loops made of recordings."""
