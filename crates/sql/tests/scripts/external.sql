# Directories. The path is kept absolute; it is looked at when it is used.

create directory files as 'tests/files';
create directory files as '/other';
create or replace directory gone as '/no/such/place';
create directory nothing as '';
select owner, directory_name, substr(directory_path, -18) path from all_directories where directory_name = 'FILES';
select directory_path from dba_directories where directory_name = 'GONE';
create or replace directory gone as '/no/such/place/either';
select directory_path from dba_directories where directory_name = 'GONE';
drop directory nosuch
---
CREATE DIRECTORY
ORA-00955: the name FILES is used by another directory
CREATE DIRECTORY
ORA-02236: invalid file name: the path of a directory is empty
OWNER | DIRECTORY_NAME | PATH
SYS | FILES | es/sql/tests/files
DIRECTORY_PATH
/no/such/place
CREATE DIRECTORY
DIRECTORY_PATH
/no/such/place/either
ORA-04043: object NOSUCH does not exist: no directory

# The external table of the paper on block sizes.

create table web_returns_et (
  wr_returned_date_sk number(38), wr_returned_time_sk number(38), wr_item_sk number(38),
  wr_refunded_customer_sk number(38), wr_refunded_cdemo_sk number(38), wr_refunded_hdemo_sk number(38),
  wr_refunded_addr_sk number(38), wr_returning_customer_sk number(38), wr_returning_cdemo_sk number(38),
  wr_returning_hdemo_sk number(38), wr_returning_addr_sk number(38), wr_web_page_sk number(38),
  wr_reason_sk number(38), wr_order_number number(38), wr_return_quantity number(38),
  wr_return_amt number(7,2), wr_return_tax number(7,2), wr_return_amt_inc_tax number(7,2), wr_fee number(7,2),
  wr_return_ship_cost number(7,2), wr_refunded_cash number(7,2), wr_reversed_charge number(7,2),
  wr_account_credit number(7,2), wr_net_loss number(7,2)
)
organization external (
  type oracle_loader
  default directory files
  access parameters (records delimited by newline fields terminated by '|' missing field values are null)
  location ('web_returns.dat')
);
select count(*), sum(wr_return_amt), min(wr_net_loss) from web_returns_et;
select wr_item_sk, wr_returned_time_sk, wr_net_loss from web_returns_et where wr_order_number = 1 order by 1;
create table web_returns as select * from web_returns_et;
select * from web_returns_et minus select * from web_returns;
select count(*) from web_returns;
insert into web_returns select * from web_returns_et where rownum <= 2;
select e.wr_item_sk, count(*) from web_returns_et e join web_returns w on e.wr_item_sk = w.wr_item_sk group by e.wr_item_sk order by 1;
select count(*) from web_returns_et a, web_returns_et b
---
CREATE TABLE
COUNT(*) | SUM(WR_RETURN_AMT) | MIN(WR_NET_LOSS)
3 | 1946.99 | 820.99
WR_ITEM_SK | WR_RETURNED_TIME_SK | WR_NET_LOSS
10402 | 7022 | 852.89
15464 | 64915 | 820.99
CREATE TABLE: 3 rows
WR_RETURNED_DATE_SK | WR_RETURNED_TIME_SK | WR_ITEM_SK | WR_REFUNDED_CUSTOMER_SK | WR_REFUNDED_CDEMO_SK | WR_REFUNDED_HDEMO_SK | WR_REFUNDED_ADDR_SK | WR_RETURNING_CUSTOMER_SK | WR_RETURNING_CDEMO_SK | WR_RETURNING_HDEMO_SK | WR_RETURNING_ADDR_SK | WR_WEB_PAGE_SK | WR_REASON_SK | WR_ORDER_NUMBER | WR_RETURN_QUANTITY | WR_RETURN_AMT | WR_RETURN_TAX | WR_RETURN_AMT_INC_TAX | WR_FEE | WR_RETURN_SHIP_COST | WR_REFUNDED_CASH | WR_REVERSED_CHARGE | WR_ACCOUNT_CREDIT | WR_NET_LOSS
COUNT(*)
3
INSERT: 2 rows
WR_ITEM_SK | COUNT(*)
9559 | 1
10402 | 2
15464 | 2
COUNT(*)
9

# What the dictionary says of it.

select table_name, type_name, default_directory_name, reject_limit, access_parameters from user_external_tables;
select * from user_external_locations;
select column_name, data_type, data_precision, data_scale from user_tab_columns where table_name = 'WEB_RETURNS_ET' and column_id in (1, 16);
select object_type, status from user_objects where object_name = 'WEB_RETURNS_ET';
select tname, tabtype from tab where tname like 'WEB%'
---
TABLE_NAME | TYPE_NAME | DEFAULT_DIRECTORY_NAME | REJECT_LIMIT | ACCESS_PARAMETERS
WEB_RETURNS_ET | ORACLE_LOADER | FILES | 0 | records delimited by newline fields terminated by '|' missing field values are null
TABLE_NAME | LOCATION | DIRECTORY_OWNER | DIRECTORY_NAME
WEB_RETURNS_ET | web_returns.dat | SYS | FILES
COLUMN_NAME | DATA_TYPE | DATA_PRECISION | DATA_SCALE
WR_RETURNED_DATE_SK | NUMBER | 38 | 0
WR_RETURN_AMT | NUMBER | 7 | 2
OBJECT_TYPE | STATUS
TABLE | VALID
TNAME | TABTYPE
WEB_RETURNS | TABLE
WEB_RETURNS_ET | TABLE

# It can only be read.

insert into web_returns_et (wr_item_sk) values (1);
update web_returns_et set wr_item_sk = 1;
delete from web_returns_et;
merge into web_returns_et e using web_returns w on (e.wr_item_sk = w.wr_item_sk) when matched then update set wr_fee = 1;
truncate table web_returns_et;
alter table web_returns_et add (x number);
create index i on web_returns_et (wr_item_sk);
lock table web_returns_et in exclusive mode;
insert all into web_returns_et (wr_item_sk) values (1) select * from dual;
select dbms_metadata.get_ddl('TABLE', 'WEB_RETURNS_ET') from dual;
create table web_returns_et (a number);
create trigger t before insert on web_returns_et begin null; end;
select * from web_returns_et for update
---
ORA-30657: operation not supported on external organized table SYSTEM.WEB_RETURNS_ET
ORA-30657: operation not supported on external organized table SYSTEM.WEB_RETURNS_ET
ORA-30657: operation not supported on external organized table SYSTEM.WEB_RETURNS_ET
ORA-30657: operation not supported on external organized table SYSTEM.WEB_RETURNS_ET
ORA-30657: operation not supported on external organized table SYSTEM.WEB_RETURNS_ET
ORA-30657: operation not supported on external organized table SYSTEM.WEB_RETURNS_ET
ORA-30657: operation not supported on external organized table SYSTEM.WEB_RETURNS_ET
ORA-30657: operation not supported on external organized table SYSTEM.WEB_RETURNS_ET
ORA-30657: operation not supported on external organized table SYSTEM.WEB_RETURNS_ET
HW-0001: not supported: DBMS_METADATA.GET_DDL of an external table
ORA-00955: the name SYSTEM.WEB_RETURNS_ET is used by another object
ORA-30657: operation not supported on external organized table SYSTEM.WEB_RETURNS_ET
ORA-02030: WEB_RETURNS_ET is a view of the dictionary or of figures, or an external table: it can only be read [29]

# Enclosed fields, trimming, NULLIF, masks of dates.

create table people (id number, name varchar2(20), born date, amount number(5,1))
organization external (type oracle_loader default directory files
  access parameters (records delimited by newline nologfile nobadfile
    fields terminated by ',' optionally enclosed by '"' lrtrim
    (id, name char(20), born char(10) date_format date mask "YYYY-MM-DD", amount nullif amount = 'n/a'))
  location ('people.csv'));
select id, name, to_char(born, 'DD.MM.YYYY') born, amount from people order by id;
select count(*) from people where name like 'S%'
---
CREATE TABLE
ID | NAME | BORN | AMOUNT
1 | Smith, John | 31.01.2026 | -
2 | O"Hara | 28.02.2026 | 12.5
3 | say "hi" | - | -
4 | Zoë | 01.12.2026 | -3
COUNT(*)
1

# Fields that have a place; two files; a record that ends early.

create table fixed (a varchar2(2), n number, d date)
organization external (type oracle_loader default directory gone
  access parameters (records delimited by newline nologfile nobadfile
    fields missing field values are null
    (a position(1:2) char, n position(*:5), d position(8-15) date 'YYYYMMDD'))
  location (files:'fixed.dat', files:'fixed.dat'))
reject limit unlimited;
select a, n, to_char(d, 'YYYY-MM-DD') d from fixed order by a, n
---
CREATE TABLE
A | N | D
AB | 1 | 2026-01-31
AB | 1 | 2026-01-31
CD | 34 | -
CD | 34 | -
EF | - | -
EF | - | -

# SKIP, blanks between fields, fields that are not in the table, columns that are in no field.

create table skipped (id number, name varchar2(10), other number)
organization external (type oracle_loader default directory files
  access parameters (records delimited by newline skip 2 nologfile nobadfile fields terminated by ';' (id, name))
  location ('skip.txt'));
select * from skipped;
create table spaced (n number, t varchar2(3))
organization external (type oracle_loader default directory files
  access parameters (records delimited by newline nologfile nobadfile fields terminated by whitespace (t char(3), n))
  location ('space.txt'));
select t, n from spaced
---
CREATE TABLE
ID | NAME | OTHER
1 | one | -
2 | two | -
CREATE TABLE
T | N
a | 1
b | 2

# Rejected records, and the limit of them.

create table bad (a number, b number(4))
organization external (type oracle_loader default directory files
  access parameters (records delimited by newline nologfile nobadfile fields terminated by '|') location ('bad.dat'));
select * from bad;
select count(*) from bad;
drop table bad;
create table bad (a number, b number(4))
organization external (type oracle_loader default directory files
  access parameters (records delimited by newline nologfile nobadfile fields terminated by '|') location ('bad.dat')) reject limit 2;
select * from bad;
create table made as select * from bad;
select * from made;
drop table bad;
create table bad (a number, b number(4))
organization external (type oracle_loader default directory files
  access parameters (records delimited by newline nologfile nobadfile fields terminated by '|') location ('bad.dat')) reject limit 3;
select * from bad;
create table made as select * from bad;
select count(*) from made
---
CREATE TABLE
ORA-29913: error in executing ODCIEXTTABLEFETCH callout: ORA-30653: reject limit reached: record 2 of bad.dat: error processing column A: ORA-01722: invalid number: 'x'
ORA-29913: error in executing ODCIEXTTABLEFETCH callout: ORA-30653: reject limit reached: record 2 of bad.dat: error processing column A: ORA-01722: invalid number: 'x'
DROP TABLE
CREATE TABLE
ORA-29913: error in executing ODCIEXTTABLEFETCH callout: ORA-30653: reject limit reached: record 5 of bad.dat: KUP-04021: field formatting error for field B: KUP-04023: field start is after end of record
ORA-29913: error in executing ODCIEXTTABLEFETCH callout: ORA-30653: reject limit reached: record 5 of bad.dat: KUP-04021: field formatting error for field B: KUP-04023: field start is after end of record
ORA-00942: table or view does not exist: made [14]
DROP TABLE
CREATE TABLE
A | B
1 | 10
3 | 30
6 | 60
CREATE TABLE: 3 rows
COUNT(*)
3

# Encodings.

create table utf (a number, b varchar2(4)) organization external (type oracle_loader default directory files
  access parameters (records delimited by newline nologfile nobadfile fields terminated by '|') location ('latin.dat')) reject limit 1;
select * from utf;
create table latin (a number, b varchar2(8)) organization external (type oracle_loader default directory files
  access parameters (records delimited by newline characterset we8iso8859p1 nologfile nobadfile fields terminated by '|') location ('latin.dat'));
select * from latin where a = 1;
create table latin2 (a number, b varchar2(8)) organization external (type oracle_loader default directory files
  access parameters (records delimited by newline characterset us7ascii nologfile nobadfile fields terminated by '|') location ('latin.dat'));
select * from latin2
---
CREATE TABLE
A | B
2 | é
CREATE TABLE
A | B
1 | café
CREATE TABLE
ORA-29913: error in executing ODCIEXTTABLEFETCH callout: ORA-30653: reject limit reached: record 1 of latin.dat: error processing column B: ORA-29275: byte 4 of the field is not US7ASCII: 'caf\xe9'

# Files that are not there, records that are too long.

create table absent (a number) organization external (type oracle_loader default directory files location ('nosuch.dat'));
select * from absent;
select * from absent where 1 = 2;
create table path (a number) organization external (type oracle_loader default directory files location ('../x'));
select * from path;
create table folder (a number) organization external (type oracle_loader default directory gone location ('x'));
select * from folder;
create table lengthy (a number) organization external (type oracle_loader default directory files
  access parameters (records delimited by '#' readsize 50) location ('web_returns.dat'));
select * from lengthy
---
CREATE TABLE
ORA-29913: error in executing ODCIEXTTABLEOPEN callout: ORA-29400: data cartridge error: KUP-04040: file nosuch.dat in FILES not found
A
CREATE TABLE
ORA-29913: error in executing ODCIEXTTABLEOPEN callout: ORA-29400: data cartridge error: KUP-04076: file name cannot contain a path specification: ../x
CREATE TABLE
ORA-29913: error in executing ODCIEXTTABLEOPEN callout: ORA-29400: data cartridge error: KUP-04040: file x in GONE not found
CREATE TABLE
ORA-29913: error in executing ODCIEXTTABLEFETCH callout: ORA-29400: data cartridge error: KUP-04020: found record longer than buffer size supported, 50: record 1 of web_returns.dat

# What is wrong with the statement.

create table e (a number) organization external (type oracle_datapump default directory files location ('x'));
create table e (a number) organization external (type oracle_loader location ('x'));
create table e (a number) organization external (type oracle_loader default directory nosuch location ('x'));
create table e (a number) organization external (type oracle_loader default directory files);
create table e (a number not null) organization external (type oracle_loader default directory files location ('x'));
create table e (a number default 1) organization external (type oracle_loader default directory files location ('x'));
create table e (a number primary key) organization external (type oracle_loader default directory files location ('x'));
create table e (a) organization external (type oracle_loader default directory files location ('x'));
create table e (a number) organization external (type oracle_loader default directory files
  access parameters (records delimited by newline preprocessor d:'x') location ('x'));
create table e (a number) organization external (type oracle_loader default directory files
  access parameters (records delimited newline) location ('x'));
create table e (a number) organization external (type oracle_loader default directory files
  access parameters (fields terminated by '|' (a decimal(3))) location ('x'))
---
HW-0001: not supported: external table of type oracle_datapump [54]
ORA-30646: schema for external table type must have DEFAULT DIRECTORY [68]
ORA-06564: object NOSUCH does not exist: no directory that you may use
ORA-30655: no LOCATION: an external table without files [92]
ORA-30657: operation not supported on external organized table: NOT NULL of column A [57]
ORA-30657: operation not supported on external organized table: DEFAULT of column A [58]
ORA-30657: operation not supported on external organized table: a constraint [60]
ORA-02263: column A needs a data type [41]
HW-0001: not supported: access parameter PREPROCESSOR [113]
HW-0001: not supported: access parameter DELIMITED [113]
HW-0001: not supported: access parameter data type DECIMAL of a field [113]

# Privileges.

create user reader identified by x;
grant create session to reader;
grant read on directory files to reader;
grant select on directory files to reader;
grant read on directory nosuch to reader;
grant read on people to reader;
revoke write on directory files from reader;
select grantee, table_name, privilege, grantable, type from dba_tab_privs where type = 'DIRECTORY' order by 1, 2, 3;
grant all on directory gone to reader with grant option;
revoke all on directory gone from reader;
grant create table to reader;
create table reader.mine (a number) organization external (type oracle_loader default directory files location ('x'));
create table reader.theirs (a number) organization external (type oracle_loader default directory gone location ('x'));
drop directory files;
select * from people;
select count(*) from dba_tab_privs where type = 'DIRECTORY' and grantee = 'READER';
drop user reader cascade;
drop table people;
rename fixed to fixed2;
desc fixed2;
select count(*) from user_external_tables where table_name = 'FIXED2';
drop table fixed2 purge;
select count(*) from sys.external_location$
---
CREATE USER
GRANT
GRANT
ORA-22928: invalid privilege on directories: SELECT
ORA-22930: directory does not exist: NOSUCH
ORA-02224: READ privilege not allowed for tables
ORA-01927: WRITE on SYS.FILES was not granted to READER
GRANTEE | TABLE_NAME | PRIVILEGE | GRANTABLE | TYPE
READER | FILES | READ | NO | DIRECTORY
SYSTEM | FILES | READ | YES | DIRECTORY
SYSTEM | FILES | WRITE | YES | DIRECTORY
SYSTEM | GONE | READ | YES | DIRECTORY
SYSTEM | GONE | WRITE | YES | DIRECTORY
GRANT
REVOKE
GRANT
CREATE TABLE
ORA-06564: object GONE does not exist: no directory that you may use
DROP DIRECTORY
ORA-06564: object FILES does not exist: no directory that you may use
COUNT(*)
0
DROP USER
DROP TABLE
RENAME
ORA-00900: invalid SQL statement [0]
COUNT(*)
1
DROP TABLE
COUNT(*)
11
