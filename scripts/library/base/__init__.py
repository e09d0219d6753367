"""What any room may ask: the stamp of a result, parallel work, interruptions, messages in words of Python."""
