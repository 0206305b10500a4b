exit nosuch
