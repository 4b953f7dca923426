-- title: unix_timestamp, from_unixtime and their finer relatives on both sides of the epoch
-- data: adversarial
-- covers: datetime_functions
SELECT
  id,
  unix_timestamp(ts) AS seconds_of_text,
  unix_seconds(ts) AS seconds,
  unix_millis(ts) AS millis,
  unix_micros(ts) AS micros,
  from_unixtime(id * 86400 - 172800, 'yyyy-MM-dd HH:mm:ss') AS around_epoch,
  timestamp_seconds(id * 1000000) AS from_seconds,
  timestamp_micros(-id) AS before_epoch
FROM t_time
