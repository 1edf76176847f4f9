"""What one paper alone counts: functions of its studies and their measurements, which no network planner needs."""
