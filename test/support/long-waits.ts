/**
 * Makes the waits of who has tried too often (`login_attempts`) so long that no test outlasts one, however busy the machine
 * is; a test that wants one over sets its end back.
 */
export const MAKE_WAITS_LONG = `
  create function make_wait_long() returns trigger language plpgsql as $$ begin
    if new.retry_at > now() then new.retry_at := now() + interval '1 day'; end if;
    return new;
  end $$;
  create trigger make_wait_long before insert or update on login_attempts for each row execute function make_wait_long()`
