//! The questions of TPC-H (revision 3), with the values of its validation, as queries written here.
//!
//! `{}` stands where the hints of the block go that joins the most tables.

/// A question: its number, its query, and the names of the tables that hints are about.
pub(super) struct Question {
    pub(super) number: u32,
    pub(super) tables: &'static str,
    pub(super) text: &'static str,
}

pub(super) const QUESTIONS: [Question; 22] = [
    Question {
        number: 1,
        tables: "l",
        text: "select {} l.l_returnflag flag, l.l_linestatus status, count(*) line_count, sum(l.l_quantity) \
               quantity, sum(l.l_extendedprice) gross, sum(l.l_extendedprice - l.l_extendedprice * l.l_discount) \
               net, sum((l.l_extendedprice - l.l_extendedprice * l.l_discount) * (l.l_tax + 1)) charged, \
               avg(l.l_quantity) mean_quantity, avg(l.l_extendedprice) mean_price, avg(l.l_discount) mean_discount \
               from lineitem l where l.l_shipdate < date '1998-09-03' group by l.l_returnflag, l.l_linestatus order \
               by 1, 2",
    },
    Question {
        number: 2,
        tables: "p o s n r",
        text: "select {} s.s_acctbal, s.s_name, n.n_name, p.p_partkey, p.p_mfgr, s.s_address, s.s_phone, \
               s.s_comment from part p join partsupp o on o.ps_partkey = p.p_partkey join supplier s on s.s_suppkey \
               = o.ps_suppkey join nation n on n.n_nationkey = s.s_nationkey join region r on r.r_regionkey = \
               n.n_regionkey where r.r_name = 'EUROPE' and p.p_type like '%BRASS' and p.p_size = 15 and \
               o.ps_supplycost = (select min(o2.ps_supplycost) from region r2 join nation n2 on n2.n_regionkey = \
               r2.r_regionkey join supplier s2 on s2.s_nationkey = n2.n_nationkey join partsupp o2 on o2.ps_suppkey \
               = s2.s_suppkey where r2.r_name = 'EUROPE' and o2.ps_partkey = p.p_partkey) order by s.s_acctbal \
               desc, n.n_name, s.s_name, p.p_partkey fetch first 100 rows only",
    },
    Question {
        number: 3,
        tables: "c o l",
        text: "select {} o.o_orderkey, o.o_orderdate, o.o_shippriority, sum(l.l_extendedprice - l.l_extendedprice * \
               l.l_discount) unshipped from orders o join customer c on c.c_custkey = o.o_custkey and \
               c.c_mktsegment = 'BUILDING' join lineitem l on l.l_orderkey = o.o_orderkey and l.l_shipdate > date \
               '1995-03-15' where o.o_orderdate < date '1995-03-15' group by o.o_orderkey, o.o_orderdate, \
               o.o_shippriority order by 4 desc, 2 fetch first 10 rows only",
    },
    Question {
        number: 4,
        tables: "o",
        text: "select {} o.o_orderpriority priority, count(*) late from orders o where o.o_orderdate between date \
               '1993-07-01' and date '1993-09-30' and o.o_orderkey in (select l.l_orderkey from lineitem l where \
               l.l_receiptdate > l.l_commitdate) group by o.o_orderpriority order by 1",
    },
    Question {
        number: 5,
        tables: "c o l s n r",
        text: "select {} n.n_name, sum(l.l_extendedprice - l.l_extendedprice * l.l_discount) volume from region r \
               join nation n on n.n_regionkey = r.r_regionkey join supplier s on s.s_nationkey = n.n_nationkey join \
               customer c on c.c_nationkey = s.s_nationkey join orders o on o.o_custkey = c.c_custkey join lineitem \
               l on l.l_orderkey = o.o_orderkey and l.l_suppkey = s.s_suppkey where r.r_name = 'ASIA' and \
               o.o_orderdate >= date '1994-01-01' and o.o_orderdate < date '1995-01-01' group by n.n_name order by \
               2 desc",
    },
    Question {
        number: 6,
        tables: "l",
        text: "select {} sum(l.l_discount * l.l_extendedprice) gain from lineitem l where l.l_quantity < 24 and \
               l.l_discount >= 0.05 and l.l_discount <= 0.07 and trunc(l.l_shipdate, 'YYYY') = date '1994-01-01'",
    },
    Question {
        number: 7,
        tables: "s l o c a b",
        text: "select {} a.n_name seller, b.n_name buyer, to_char(l.l_shipdate, 'YYYY') year, sum(l.l_extendedprice \
               - l.l_extendedprice * l.l_discount) volume from lineitem l join orders o on o.o_orderkey = \
               l.l_orderkey join supplier s on s.s_suppkey = l.l_suppkey join customer c on c.c_custkey = \
               o.o_custkey join nation a on a.n_nationkey = s.s_nationkey join nation b on b.n_nationkey = \
               c.c_nationkey where l.l_shipdate >= date '1995-01-01' and l.l_shipdate < date '1997-01-01' and \
               (a.n_name = 'GERMANY' and b.n_name = 'FRANCE' or a.n_name = 'FRANCE' and b.n_name = 'GERMANY') group \
               by a.n_name, b.n_name, to_char(l.l_shipdate, 'YYYY') order by 1, 2, 3",
    },
    Question {
        number: 8,
        tables: "p s l o c a b r",
        text: "select {} to_char(o.o_orderdate, 'YYYY') year, sum(decode(rtrim(b.n_name), 'BRAZIL', \
               l.l_extendedprice * (1 - l.l_discount), 0)) / sum(l.l_extendedprice * (1 - l.l_discount)) part from \
               part p join lineitem l on l.l_partkey = p.p_partkey join orders o on o.o_orderkey = l.l_orderkey \
               join customer c on c.c_custkey = o.o_custkey join nation a on a.n_nationkey = c.c_nationkey join \
               region r on r.r_regionkey = a.n_regionkey join supplier s on s.s_suppkey = l.l_suppkey join nation b \
               on b.n_nationkey = s.s_nationkey where p.p_type = 'ECONOMY ANODIZED STEEL' and r.r_name = 'AMERICA' \
               and o.o_orderdate >= date '1995-01-01' and o.o_orderdate < date '1997-01-01' group by \
               to_char(o.o_orderdate, 'YYYY') order by 1",
    },
    Question {
        number: 9,
        tables: "p s l d o n",
        text: "select {} n.n_name, to_char(o.o_orderdate, 'YYYY') year, sum(l.l_extendedprice - l.l_extendedprice * \
               l.l_discount - d.ps_supplycost * l.l_quantity) profit from part p join lineitem l on l.l_partkey = \
               p.p_partkey join partsupp d on d.ps_partkey = l.l_partkey and d.ps_suppkey = l.l_suppkey join \
               supplier s on s.s_suppkey = l.l_suppkey join nation n on n.n_nationkey = s.s_nationkey join orders o \
               on o.o_orderkey = l.l_orderkey where instr(p.p_name, 'green') > 0 group by n.n_name, \
               to_char(o.o_orderdate, 'YYYY') order by 1, 2 desc",
    },
    Question {
        number: 10,
        tables: "c o l n",
        text: "select {} c.c_custkey, c.c_name, c.c_acctbal, c.c_phone, n.n_name, c.c_address, c.c_comment, \
               sum(l.l_extendedprice - l.l_extendedprice * l.l_discount) lost from customer c join nation n on \
               n.n_nationkey = c.c_nationkey join orders o on o.o_custkey = c.c_custkey join lineitem l on \
               l.l_orderkey = o.o_orderkey and l.l_returnflag = 'R' where o.o_orderdate >= date '1993-10-01' and \
               o.o_orderdate < date '1994-01-01' group by c.c_custkey, c.c_name, c.c_acctbal, c.c_phone, n.n_name, \
               c.c_address, c.c_comment order by lost desc fetch first 20 rows only",
    },
    Question {
        number: 11,
        tables: "d s n",
        text: "with stock as (select {} d.ps_partkey, sum(d.ps_availqty * d.ps_supplycost) worth from nation n join \
               supplier s on s.s_nationkey = n.n_nationkey join partsupp d on d.ps_suppkey = s.s_suppkey where \
               n.n_name = 'GERMANY' group by d.ps_partkey) select ps_partkey, worth from stock where worth > \
               (select sum(worth) / 10000 from stock) order by worth desc",
    },
    Question {
        number: 12,
        tables: "o l",
        text: "select {} l.l_shipmode, count(case when o.o_orderpriority in ('1-URGENT', '2-HIGH') then 1 end) \
               urgent, count(case when o.o_orderpriority not in ('1-URGENT', '2-HIGH') then 1 end) other from \
               lineitem l join orders o on o.o_orderkey = l.l_orderkey where l.l_receiptdate >= date '1994-01-01' \
               and l.l_receiptdate < date '1995-01-01' and l.l_shipdate < l.l_commitdate and l.l_commitdate < \
               l.l_receiptdate and l.l_shipmode in ('SHIP', 'MAIL') group by l.l_shipmode order by 1",
    },
    Question {
        number: 13,
        tables: "c o",
        text: "select orders, count(*) customers from (select {} c.c_custkey, count(o.o_orderkey) orders from \
               customer c left join orders o on o.o_custkey = c.c_custkey and not o.o_comment like \
               '%special%requests%' group by c.c_custkey) group by orders order by 2 desc, 1 desc",
    },
    Question {
        number: 14,
        tables: "l p",
        text: "select {} sum(case when substr(p.p_type, 1, 5) = 'PROMO' then l.l_extendedprice * (1 - l.l_discount) \
               end) / sum(l.l_extendedprice * (1 - l.l_discount)) * 100 share_in_percent from part p join lineitem \
               l on l.l_partkey = p.p_partkey where l.l_shipdate between date '1995-09-01' and date '1995-09-30'",
    },
    Question {
        number: 15,
        tables: "s t",
        text: "with takings as (select l.l_suppkey supplier, sum(l.l_extendedprice - l.l_extendedprice * \
               l.l_discount) total from lineitem l where l.l_shipdate between date '1996-01-01' and date \
               '1996-03-31' group by l.l_suppkey) select {} s.s_suppkey, s.s_name, s.s_address, s.s_phone, t.total \
               from takings t join supplier s on s.s_suppkey = t.supplier where t.total >= all (select total from \
               takings) order by 1",
    },
    Question {
        number: 16,
        tables: "d p",
        text: "select {} p.p_brand, p.p_type, p.p_size, count(distinct d.ps_suppkey) suppliers from part p join \
               partsupp d on d.ps_partkey = p.p_partkey where p.p_size in (3, 9, 14, 19, 23, 36, 45, 49) and \
               p.p_brand != 'Brand#45' and p.p_type not like 'MEDIUM POLISHED%' and not exists (select 1 from \
               supplier s where s.s_suppkey = d.ps_suppkey and s.s_comment like '%Customer%Complaints%') group by \
               p.p_brand, p.p_type, p.p_size order by 4 desc, 1, 2, 3",
    },
    Question {
        number: 17,
        tables: "l p",
        text: "select {} round(sum(l.l_extendedprice) / 7, 2) a_year from part p join lineitem l on l.l_partkey = \
               p.p_partkey where p.p_container = 'MED BOX' and p.p_brand = 'Brand#23' and l.l_quantity * 5 < \
               (select avg(m.l_quantity) from lineitem m where m.l_partkey = p.p_partkey)",
    },
    Question {
        number: 18,
        tables: "c o l",
        text: "select {} c.c_custkey, c.c_name, o.o_orderkey, o.o_orderdate, o.o_totalprice, sum(l.l_quantity) \
               quantity from (select m.l_orderkey from lineitem m group by m.l_orderkey having sum(m.l_quantity) > \
               300) large join orders o on o.o_orderkey = large.l_orderkey join customer c on c.c_custkey = \
               o.o_custkey join lineitem l on l.l_orderkey = o.o_orderkey group by c.c_custkey, c.c_name, \
               o.o_orderkey, o.o_orderdate, o.o_totalprice order by o.o_totalprice desc, o.o_orderdate fetch first \
               100 rows only",
    },
    Question {
        number: 19,
        tables: "l p",
        text: "select {} sum(l.l_extendedprice - l.l_extendedprice * l.l_discount) revenue from lineitem l join \
               part p on p.p_partkey = l.l_partkey where l.l_shipinstruct = 'DELIVER IN PERSON' and l.l_shipmode in \
               ('AIR', 'AIR REG') and p.p_size >= 1 and (p.p_brand = 'Brand#12' and p.p_size <= 5 and l.l_quantity \
               between 1 and 11 and p.p_container in ('SM BOX', 'SM CASE', 'SM PACK', 'SM PKG') or p.p_brand = \
               'Brand#23' and p.p_size <= 10 and l.l_quantity between 10 and 20 and p.p_container in ('MED BAG', \
               'MED BOX', 'MED PACK', 'MED PKG') or p.p_brand = 'Brand#34' and p.p_size <= 15 and l.l_quantity \
               between 20 and 30 and p.p_container in ('LG BOX', 'LG CASE', 'LG PACK', 'LG PKG'))",
    },
    Question {
        number: 20,
        tables: "s n",
        text: "select {} s.s_name, s.s_address from nation n join supplier s on s.s_nationkey = n.n_nationkey where \
               n.n_name = 'CANADA' and exists (select 1 from partsupp d join part p on p.p_partkey = d.ps_partkey \
               where d.ps_suppkey = s.s_suppkey and p.p_name like 'forest%' and d.ps_availqty * 2 > (select \
               sum(l.l_quantity) from lineitem l where l.l_partkey = d.ps_partkey and l.l_suppkey = d.ps_suppkey \
               and l.l_shipdate >= date '1994-01-01' and l.l_shipdate < date '1995-01-01')) order by 1",
    },
    Question {
        number: 21,
        tables: "s l o n",
        text: "select {} s.s_name, count(*) waits from nation n join supplier s on s.s_nationkey = n.n_nationkey \
               join lineitem l on l.l_suppkey = s.s_suppkey and l.l_receiptdate > l.l_commitdate join orders o on \
               o.o_orderkey = l.l_orderkey and o.o_orderstatus = 'F' where n.n_name = 'SAUDI ARABIA' and exists \
               (select 1 from lineitem m where m.l_orderkey = l.l_orderkey and m.l_suppkey != l.l_suppkey) and not \
               exists (select 1 from lineitem m where m.l_orderkey = l.l_orderkey and m.l_suppkey != l.l_suppkey \
               and m.l_commitdate < m.l_receiptdate) group by s.s_name order by 2 desc, 1 fetch first 100 rows only",
    },
    Question {
        number: 22,
        tables: "c",
        text: "select {} substr(c.c_phone, 1, 2) country, count(*) customers, sum(c.c_acctbal) balance from \
               customer c where substr(c.c_phone, 1, 2) in ('13', '17', '18', '23', '29', '30', '31') and \
               c.c_custkey not in (select o.o_custkey from orders o where o.o_custkey is not null) and c.c_acctbal \
               > (select avg(e.c_acctbal) from customer e where e.c_acctbal > 0 and substr(e.c_phone, 1, 2) in \
               ('13', '17', '18', '23', '29', '30', '31')) group by substr(c.c_phone, 1, 2) order by 1",
    },
];
