prompt inner has &1
