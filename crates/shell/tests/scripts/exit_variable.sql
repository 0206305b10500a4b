variable rc number
begin :rc:=258; end;
/
set exitcommit off
exit :rc rollback
