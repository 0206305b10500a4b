prompt arguments: [&1] [&2]
@@lib/outer given
start &1
@@lib/deep
prompt still here
@@lib/leaves
prompt nor here
