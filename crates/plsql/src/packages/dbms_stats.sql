package dbms_stats as
  auto_sample_size constant number := 0;
  default_degree constant number := 32767;
  auto_degree constant number := 32768;
  auto_cascade constant boolean := null;
  auto_invalidate constant boolean := null;
  procedure gather_table_stats(ownname in varchar2, tabname in varchar2, partname in varchar2 default null,
                               estimate_percent in number default null, block_sample in boolean default false,
                               method_opt in varchar2 default 'FOR ALL COLUMNS SIZE AUTO', degree in number default null,
                               granularity in varchar2 default 'AUTO', cascade in boolean default null,
                               stattab in varchar2 default null, statid in varchar2 default null, statown in varchar2 default null,
                               no_invalidate in boolean default null, force in boolean default false);
  procedure gather_index_stats(ownname in varchar2, indname in varchar2, partname in varchar2 default null,
                               estimate_percent in number default null, stattab in varchar2 default null,
                               statid in varchar2 default null, statown in varchar2 default null, degree in number default null,
                               granularity in varchar2 default 'AUTO', no_invalidate in boolean default null,
                               force in boolean default false);
  procedure gather_schema_stats(ownname in varchar2, estimate_percent in number default null, block_sample in boolean default false,
                                method_opt in varchar2 default 'FOR ALL COLUMNS SIZE AUTO', degree in number default null,
                                granularity in varchar2 default 'AUTO', cascade in boolean default null,
                                stattab in varchar2 default null, statid in varchar2 default null,
                                options in varchar2 default 'GATHER', statown in varchar2 default null,
                                no_invalidate in boolean default null, force in boolean default false);
  procedure delete_table_stats(ownname in varchar2, tabname in varchar2, partname in varchar2 default null,
                               stattab in varchar2 default null, statid in varchar2 default null,
                               cascade_parts in boolean default true, cascade_columns in boolean default true,
                               cascade_indexes in boolean default true, statown in varchar2 default null,
                               no_invalidate in boolean default null, force in boolean default false);
  procedure delete_index_stats(ownname in varchar2, indname in varchar2, partname in varchar2 default null,
                               stattab in varchar2 default null, statid in varchar2 default null,
                               cascade_parts in boolean default true, statown in varchar2 default null,
                               no_invalidate in boolean default null, force in boolean default false);
  procedure delete_column_stats(ownname in varchar2, tabname in varchar2, colname in varchar2, partname in varchar2 default null,
                                stattab in varchar2 default null, statid in varchar2 default null,
                                cascade_parts in boolean default true, statown in varchar2 default null,
                                no_invalidate in boolean default null, force in boolean default false);
  procedure set_table_stats(ownname in varchar2, tabname in varchar2, partname in varchar2 default null,
                            stattab in varchar2 default null, statid in varchar2 default null, numrows in number default null,
                            numblks in number default null, avgrlen in number default null, flags in number default null,
                            statown in varchar2 default null, no_invalidate in boolean default null,
                            cachedblk in number default null, cachehit in number default null, force in boolean default false);
  procedure set_index_stats(ownname in varchar2, indname in varchar2, partname in varchar2 default null,
                            stattab in varchar2 default null, statid in varchar2 default null, numrows in number default null,
                            numlblks in number default null, numdist in number default null, avglblk in number default null,
                            avgdblk in number default null, clstfct in number default null, indlevel in number default null,
                            flags in number default null, statown in varchar2 default null, no_invalidate in boolean default null,
                            guessq in number default null, cachedblk in number default null, cachehit in number default null,
                            force in boolean default false);
  procedure set_column_stats(ownname in varchar2, tabname in varchar2, colname in varchar2, partname in varchar2 default null,
                             stattab in varchar2 default null, statid in varchar2 default null, distcnt in number default null,
                             density in number default null, nullcnt in number default null, srec in varchar2 default null,
                             avgclen in number default null,
                             flags in number default null, statown in varchar2 default null, no_invalidate in boolean default null,
                             force in boolean default false);
end;
