show all
set appinfo on flush on sqlterminator ; sqlcase upper
set arraysize 5001
set lines
set
