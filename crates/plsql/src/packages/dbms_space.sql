package dbms_space as
  procedure free_blocks(segment_owner in varchar2, segment_name in varchar2, segment_type in varchar2, freelist_group_id in number,
                        free_blks out number, scan_limit in number default null, partition_name in varchar2 default null);
  procedure unused_space(segment_owner in varchar2, segment_name in varchar2, segment_type in varchar2, total_blocks out number,
                         total_bytes out number, unused_blocks out number, unused_bytes out number, last_used_extent_file_id out number,
                         last_used_extent_block_id out number, last_used_block out number, partition_name in varchar2 default null);
  procedure space_usage(segment_owner in varchar2, segment_name in varchar2, segment_type in varchar2, unformatted_blocks out number,
                        unformatted_bytes out number, fs1_blocks out number, fs1_bytes out number, fs2_blocks out number,
                        fs2_bytes out number, fs3_blocks out number, fs3_bytes out number, fs4_blocks out number, fs4_bytes out number,
                        full_blocks out number, full_bytes out number, partition_name in varchar2 default null);
end;
