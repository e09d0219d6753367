"""Controllers: functions of time and state on arrays, which never see a simulator."""
