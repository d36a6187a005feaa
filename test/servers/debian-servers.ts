/** Mail servers of Debian that hand everything to one relay, `127.0.0.1:$PORT`, and so send back what it refuses. */
export type DebianServer = {
  name: string
  packages: string
  /** Commands of bash, run as root where the packages are installed. `send RETURN_PATH RECIPIENT` is called for each mail. */
  script: string
}

export const DEBIAN_SERVERS: readonly DebianServer[] = [
  {
    name: 'Exim',
    packages: 'exim4-daemon-light',
    script: `
cat > /etc/exim4/relay.conf <<END
primary_hostname = exim.relay.example
keep_environment =
begin routers
relay:
  driver = manualroute
  route_list = * 127.0.0.1
  self = send
  transport = relay
begin transports
relay:
  driver = smtp
  port = $PORT
  allow_localhost
  hosts_avoid_tls = *
begin retry
* * F,1h,1m
END
send() { exim4 -C /etc/exim4/relay.conf -odf -f "$1" "$2"; }`,
  },
  {
    name: 'Postfix',
    packages: 'postfix',
    script: `
cat > /etc/postfix/main.cf <<END
compatibility_level = 3.6
myhostname = postfix.relay.example
mydestination =
relayhost = [127.0.0.1]:$PORT
master_service_disable = inet
maillog_file = /var/log/postfix.log
smtp_dns_support_level = disabled
END
postfix start
send() { sendmail -f "$1" "$2"; }`,
  },
  {
    name: 'OpenSMTPD',
    packages: 'opensmtpd',
    script: `
cat > /etc/smtpd.conf <<END
listen on socket
action there relay host smtp://127.0.0.1:$PORT
match from any for any action there
END
echo opensmtpd.relay.example > /etc/mailname
smtpd -d &
until smtpctl show stats > /dev/null 2>&1; do sleep 0.2; done
send() { sendmail -f "$1" "$2"; }`,
  },
  {
    name: 'DragonFly dma',
    packages: 'dma',
    script: `
printf 'SMARTHOST 127.0.0.1\\nPORT %s\\nMAILNAME dma.relay.example\\n' "$PORT" > /etc/dma/dma.conf
send() { dma -f "$1" "$2"; }`,
  },
]
