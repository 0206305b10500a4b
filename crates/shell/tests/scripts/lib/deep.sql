@@deep
