"""Controllers: functions of time and state on arrays, independent of any simulator."""
