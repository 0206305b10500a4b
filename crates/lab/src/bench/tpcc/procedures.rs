//! The five transactions as stored procedures. Both sides run these words, but for those in braces ([`Dialect`]).
//!
//! What a terminal would show is returned in `p_out`, without dates, so that both sides' answers can be compared. The
//! procedures leave the commit to the caller; New-Order rolls back where an item does not exist.
//!
//! Lines of an order come as one text of 14 digits a line: item (6), supplying warehouse (6), quantity (2).

use super::dialect::Dialect;

/// The answer to a New-Order with an item that does not exist.
pub(super) const NOT_VALID: &str = "item number is not valid";

/// The statements that make the procedures.
pub(super) fn procedures(dialect: Dialect) -> Vec<String> {
    let by_name =
        |warehouse: &str, district: &str| BY_NAME.replace("{warehouse}", warehouse).replace("{district}", district);
    let payment = PAYMENT.replace("{by name}", &by_name("p_c_w", "p_c_d"));
    let order_status = ORDER_STATUS.replace("{by name}", &by_name("p_w", "p_d"));
    [NEW_ORDER, &payment, &order_status, DELIVERY, STOCK_LEVEL, NOTHING]
        .map(|text| dialect.words(&text.replace("{not valid}", NOT_VALID)))
        .to_vec()
}

const NEW_ORDER: &str = "\
create or replace procedure new_order(p_w {integer}, p_d {integer}, p_c {integer}, p_lines {text}, p_out {out} {text})
{is}
  v_count {integer} := length(p_lines) / 14;
  v_w_tax {number};
  v_d_tax {number};
  v_discount {number};
  v_last {text}(16);
  v_credit {text}(2);
  v_order {integer};
  v_local {integer} := 1;
  v_item {integer};
  v_supply {integer};
  v_quantity {integer};
  v_price {number};
  v_name {text}(24);
  v_i_data {text}(50);
  v_s_data {text}(50);
  v_stock {integer};
  v_dist {text}(24);
  v_brand {text}(1);
  v_amount {number};
  v_total {number} := 0;
  v_shown {text}(1000) := '';
begin
  select w_tax into v_w_tax from warehouse where w_id = p_w;
  update district set d_next_o_id = d_next_o_id + 1 where d_w_id = p_w and d_id = p_d
    returning d_next_o_id - 1, d_tax into v_order, v_d_tax;
  select c_discount, c_last, c_credit into v_discount, v_last, v_credit from customer
    where c_w_id = p_w and c_d_id = p_d and c_id = p_c;
  for i in 1 .. v_count loop
    if cast(substr(p_lines, i * 14 - 7, 6) as {integer}) <> p_w then v_local := 0; end if;
  end loop;
  insert into orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
    values (p_w, p_d, v_order, p_c, {now}, null, v_count, v_local);
  insert into new_orders (no_w_id, no_d_id, no_o_id) values (p_w, p_d, v_order);
  for i in 1 .. v_count loop
    v_item := cast(substr(p_lines, i * 14 - 13, 6) as {integer});
    v_supply := cast(substr(p_lines, i * 14 - 7, 6) as {integer});
    v_quantity := cast(substr(p_lines, i * 14 - 1, 2) as {integer});
    {try}
      select i_price, i_name, i_data into v_price, v_name, v_i_data from item where i_id = v_item;
    {none found}
      rollback;
      p_out := '{not valid}';
      return;
    {tried}
    update stock
      set s_quantity = case when s_quantity >= v_quantity + 10 then s_quantity - v_quantity
          else s_quantity - v_quantity + 91 end,
        s_ytd = s_ytd + v_quantity,
        s_order_cnt = s_order_cnt + 1,
        s_remote_cnt = s_remote_cnt + case when v_supply = p_w then 0 else 1 end
      where s_w_id = v_supply and s_i_id = v_item
      returning s_quantity, s_data,
        case
          when p_d = 1 then s_dist_01 when p_d = 2 then s_dist_02 when p_d = 3 then s_dist_03
          when p_d = 4 then s_dist_04 when p_d = 5 then s_dist_05 when p_d = 6 then s_dist_06
          when p_d = 7 then s_dist_07 when p_d = 8 then s_dist_08 when p_d = 9 then s_dist_09
          else s_dist_10 end
      into v_stock, v_s_data, v_dist;
    v_brand := case when v_i_data like '%ORIGINAL%' and v_s_data like '%ORIGINAL%' then 'B' else 'G' end;
    v_amount := v_quantity * v_price;
    v_total := v_total + v_amount;
    insert into order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity,
        ol_amount, ol_dist_info)
      values (p_w, p_d, v_order, i, v_item, v_supply, null, v_quantity, v_amount, v_dist);
    v_shown := v_shown || ' ' || v_name || ' ' || v_stock || ' ' || v_brand || ' ' || to_char(v_amount, 'FM9990.00');
  end loop;
  v_total := v_total * (1 - v_discount) * (1 + v_w_tax + v_d_tax);
  p_out := v_order || ' ' || v_last || ' ' || v_credit || ' ' || to_char(v_total, 'FM9999990.00') || v_shown;
{end}";

/// The customer of a name: of those that have it, by first name, the one in the middle, or before it.
const BY_NAME: &str = "\
  if p_last is not null then
    select count(*) into v_count from customer
      where c_w_id = {warehouse} and c_d_id = {district} and c_last = p_last;
    for r in (select c_id from customer where c_w_id = {warehouse} and c_d_id = {district} and c_last = p_last
        order by c_first) loop
      v_at := v_at + 1;
      v_customer := r.c_id;
      exit when v_at * 2 >= v_count;
    end loop;
  end if;";

const PAYMENT: &str = "\
create or replace procedure payment(p_w {integer}, p_d {integer}, p_c_w {integer}, p_c_d {integer}, p_c {integer},
  p_last {text}, p_cents {integer}, p_out {out} {text})
{is}
  {row r}
  v_amount {number} := p_cents * 0.01;
  v_customer {integer} := p_c;
  v_count {integer};
  v_at {integer} := 0;
  v_w_name {text}(10);
  v_w_address {text}(60);
  v_d_name {text}(10);
  v_d_address {text}(60);
  v_first {text}(16);
  v_last {text}(16);
  v_address {text}(60);
  v_phone {text}(16);
  v_credit {text}(2);
  v_limit {number};
  v_discount {number};
  v_balance {number};
  v_data {text}(200) := '';
begin
  update warehouse set w_ytd = w_ytd + v_amount where w_id = p_w
    returning w_name, w_street_1 || ' ' || w_city || ' ' || w_zip into v_w_name, v_w_address;
  update district set d_ytd = d_ytd + v_amount where d_w_id = p_w and d_id = p_d
    returning d_name, d_street_1 || ' ' || d_city || ' ' || d_zip into v_d_name, v_d_address;
{by name}
  update customer
    set c_balance = c_balance - v_amount, c_ytd_payment = c_ytd_payment + v_amount, c_payment_cnt = c_payment_cnt + 1
    where c_w_id = p_c_w and c_d_id = p_c_d and c_id = v_customer
    returning c_first, c_last, c_street_1 || ' ' || c_city || ' ' || c_zip, c_phone, c_credit, c_credit_lim,
      c_discount, c_balance
    into v_first, v_last, v_address, v_phone, v_credit, v_limit, v_discount, v_balance;
  if v_credit = 'BC' then
    update customer
      set c_data = substr(v_customer || ' ' || p_c_d || ' ' || p_c_w || ' ' || p_d || ' ' || p_w || ' ' ||
        to_char(v_amount, 'FM9990.00') || ' ' || c_data, 1, 500)
      where c_w_id = p_c_w and c_d_id = p_c_d and c_id = v_customer
      returning substr(c_data, 1, 200) into v_data;
  end if;
  insert into history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    values (v_customer, p_c_d, p_c_w, p_d, p_w, {now}, v_amount, v_w_name || '    ' || v_d_name);
  p_out := v_w_address || ' ' || v_d_address || ' ' || v_customer || ' ' || v_first || ' ' || v_last || ' ' ||
    v_address || ' ' || v_phone || ' ' || v_credit || ' ' || to_char(v_limit, 'FM9999990.00') || ' ' ||
    to_char(v_discount, 'FM0.0000') || ' ' || to_char(v_balance, 'FM999999990.00') || ' ' || v_data;
{end}";

const ORDER_STATUS: &str = "\
create or replace procedure order_status(p_w {integer}, p_d {integer}, p_c {integer}, p_last {text}, p_out {out} {text})
{is}
  {row r}
  v_customer {integer} := p_c;
  v_count {integer};
  v_at {integer} := 0;
  v_first {text}(16);
  v_last {text}(16);
  v_balance {number};
  v_order {integer};
  v_carrier {integer};
  v_entry {date};
begin
{by name}
  select c_first, c_last, c_balance into v_first, v_last, v_balance from customer
    where c_w_id = p_w and c_d_id = p_d and c_id = v_customer;
  select max(o_id) into v_order from orders where o_w_id = p_w and o_d_id = p_d and o_c_id = v_customer;
  select o_entry_d, o_carrier_id into v_entry, v_carrier from orders
    where o_w_id = p_w and o_d_id = p_d and o_id = v_order;
  p_out := v_customer || ' ' || v_first || ' ' || v_last || ' ' || to_char(v_balance, 'FM999999990.00') || ' ' ||
    v_order || ' ' || coalesce(cast(v_carrier as {text}(10)), '-');
  for r in (select ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d from order_line
      where ol_w_id = p_w and ol_d_id = p_d and ol_o_id = v_order order by ol_number) loop
    p_out := p_out || ' ' || r.ol_i_id || ' ' || r.ol_supply_w_id || ' ' || r.ol_quantity || ' ' ||
      to_char(r.ol_amount, 'FM9990.00') || case when r.ol_delivery_d is null then ' -' else ' +' end;
  end loop;
{end}";

/// Two sessions may find the same oldest order: the one whose DELETE comes second finds nothing and looks again.
const DELIVERY: &str = "\
create or replace procedure delivery(p_w {integer}, p_carrier {integer}, p_out {out} {text})
{is}
  v_order {integer};
  v_customer {integer};
  v_sum {number};
  v_changed {integer};
  v_shown {text}(200) := '';
begin
  for d in 1 .. 10 loop
    loop
      select min(no_o_id) into v_order from new_orders where no_w_id = p_w and no_d_id = d;
      exit when v_order is null;
      delete from new_orders where no_w_id = p_w and no_d_id = d and no_o_id = v_order;
      {changed}
      exit when v_changed = 1;
    end loop;
    if v_order is not null then
      update orders set o_carrier_id = p_carrier where o_w_id = p_w and o_d_id = d and o_id = v_order
        returning o_c_id into v_customer;
      update order_line set ol_delivery_d = {now} where ol_w_id = p_w and ol_d_id = d and ol_o_id = v_order;
      select sum(ol_amount) into v_sum from order_line where ol_w_id = p_w and ol_d_id = d and ol_o_id = v_order;
      update customer set c_balance = c_balance + v_sum, c_delivery_cnt = c_delivery_cnt + 1
        where c_w_id = p_w and c_d_id = d and c_id = v_customer;
    end if;
    v_shown := v_shown || ' ' || coalesce(cast(v_order as {text}(10)), '-');
  end loop;
  p_out := v_shown;
{end}";

const STOCK_LEVEL: &str = "\
create or replace procedure stock_level(p_w {integer}, p_d {integer}, p_threshold {integer}, p_out {out} {text})
{is}
  v_next {integer};
  v_low {integer};
begin
  select d_next_o_id into v_next from district where d_w_id = p_w and d_id = p_d;
  select count(distinct s_i_id) into v_low from order_line, stock
    where ol_w_id = p_w and ol_d_id = p_d and ol_o_id >= v_next - 20 and ol_o_id < v_next
      and s_w_id = p_w and s_i_id = ol_i_id and s_quantity < p_threshold;
  p_out := v_low;
{end}";

/// What a call costs that does nothing: the way to the server.
const NOTHING: &str = "\
create or replace procedure nothing(p_out {out} {text})
{is}
  v_nothing {integer} := 0;
begin
  p_out := 'nothing';
{end}";
