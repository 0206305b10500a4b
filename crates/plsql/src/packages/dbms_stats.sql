package dbms_stats as
  auto_sample_size constant number := 0;
  procedure gather_table_stats(ownname in varchar2, tabname in varchar2, partname in varchar2 default null,
                               estimate_percent in number default null, block_sample in boolean default false,
                               method_opt in varchar2 default 'FOR ALL COLUMNS SIZE AUTO', degree in number default null,
                               granularity in varchar2 default 'AUTO', cascade in boolean default true);
  procedure gather_index_stats(ownname in varchar2, indname in varchar2, partname in varchar2 default null,
                               estimate_percent in number default null);
  procedure gather_schema_stats(ownname in varchar2, estimate_percent in number default null, block_sample in boolean default false,
                                method_opt in varchar2 default 'FOR ALL COLUMNS SIZE AUTO', degree in number default null,
                                granularity in varchar2 default 'AUTO', cascade in boolean default true);
  procedure delete_table_stats(ownname in varchar2, tabname in varchar2);
end;
