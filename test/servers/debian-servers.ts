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
    name: 'sendmail',
    // Its configuration on installing takes minutes and is not used: what it needs, and its own files.
    packages: 'm4 libwrap0 libsasl2-2 libldap-2.5-0 libdb5.3 libnsl2 liblockfile1',
    script: `
(cd /tmp && apt-get download -qq sendmail-bin sendmail-cf 2> /dev/null && for each in sendmail*.deb; do dpkg-deb -x "$each" /; done)
echo "127.0.0.1 sendmail.relay.example $(hostname) localhost" > /etc/hosts
cat > /tmp/relay.mc <<END
include(\\\`/usr/share/sendmail/cf/m4/cf.m4')dnl
OSTYPE(\\\`linux')dnl
FEATURE(\\\`nocanonify')dnl
define(\\\`confDOMAIN_NAME', \\\`sendmail.relay.example')dnl
define(\\\`SMART_HOST', \\\`relay:[127.0.0.1]')dnl
define(\\\`RELAY_MAILER_ARGS', \\\`TCP \\$h $PORT')dnl
define(\\\`confDONT_PROBE_INTERFACES', \\\`True')dnl
MAILER(\\\`smtp')dnl
END
mkdir -p /etc/mail /var/spool/mqueue
touch /etc/mail/local-host-names
m4 /tmp/relay.mc > /etc/mail/relay.cf
send() { /usr/libexec/sendmail/sendmail -C/etc/mail/relay.cf -Am -odi -f "$1" "$2" || true; }`,
  },
  {
    name: 'DragonFly dma',
    packages: 'dma',
    script: `
printf 'SMARTHOST 127.0.0.1\\nPORT %s\\nMAILNAME dma.relay.example\\n' "$PORT" > /etc/dma/dma.conf
send() { dma -f "$1" "$2"; }`,
  },
]
