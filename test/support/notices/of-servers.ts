import { headerOf, type NoticeKind, returned, TO, text, utf8 } from './notice-kind.ts'

const DAEMON = 'MAILER-DAEMON@mx.relay.example'
const EXIM = 'Mail Delivery System <Mailer-Daemon@mx.relay.example>'

const qmail =
  (greeting: string, reason: (refusal: string) => string, end: string) => (refusal: string, original: string) => [
    text(`${greeting}\n\n<${TO}>:\n${reason(refusal)}\n\n${end}\n\n${original}`),
  ]

/** Servers that hand mail over, and providers whose notices have the form of one of them. */
export const OF_SERVERS: readonly NoticeKind[] = [
  {
    ...{ name: 'qmail', from: DAEMON, subject: 'failure notice', names: true },
    parts: qmail(
      "Hi. This is the qmail-send program at mx.relay.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.",
      (refusal) =>
        `192.0.2.9 does not like recipient.\nRemote host said: ${refusal}\nGiving up on 192.0.2.9.\nI'm not going to try again; this message has been in the queue too long.`,
      '--- Below this line is a copy of the message.',
    ),
  },
  {
    ...{ name: 'qmail, local words', from: DAEMON, subject: 'failure notice', names: true },
    words: {
      unknown: 'Sorry, no mailbox here by that name. (#5.1.1)',
      full: 'User is over quota. (#5.2.2)',
      blocked: 'Sorry, your message was blocked as spam. (#5.7.1)',
      large: 'Sorry, that message size exceeds my databytes limit. (#5.3.4)',
      closed: 'Account disabled. (#5.2.1)',
    },
    parts: qmail(
      "Hi. This is the qmail-send program at mx.relay.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.",
      (refusal) => refusal,
      '--- Below this line is a copy of the message.',
    ),
  },
  {
    ...{ name: 'Yahoo', from: 'MAILER-DAEMON@yahoo.example', subject: 'Failure Notice', names: true },
    parts: qmail(
      'Sorry, we were unable to deliver your message to the following address.',
      (refusal) => `Remote host said: ${refusal} [RCPT_TO]`,
      '--- Below this line is a copy of the message.',
    ),
  },
  {
    ...{ name: 'OpenSMTPD 5', from: 'Mailer Daemon <MAILER-DAEMON@mx.relay.example>', names: true },
    subject: 'Delivery status notification: error',
    parts: (refusal, original) => [
      text(
        `    Hi!\n\n    This is the MAILER-DAEMON, please DO NOT REPLY to this e-mail.\n\n    An error has occurred while attempting to deliver a message for\n    the following list of recipients:\n\n${TO}: ${refusal}\n\n    Below is a copy of the original message:\n\n${headerOf(original)}`,
      ),
    ],
  },
  {
    ...{ name: 'OpenSMTPD 7', from: 'Mailer Daemon <MAILER-DAEMON@mx.relay.example>', names: true },
    subject: 'Delivery status notification: failed',
    parts: (refusal, original) => [
      text(
        `    Hi!\n\n    This is the MAILER-DAEMON, please DO NOT REPLY to this email.\n\n    An error has occurred while attempting to deliver a message for\n    the following list of recipients:\n\n${TO}: ${refusal}\n\n    Below is a copy of the original message:\n`,
      ),
      text(
        `Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; ${TO}\nAction: failed\nStatus: 5.0.0\n`,
        'message/delivery-status',
      ),
      text(headerOf(original), 'text/rfc822-headers'),
    ],
  },
  {
    ...{ name: 'Exim', from: EXIM, subject: 'Mail delivery failed: returning message to sender', names: true },
    header: [`X-Failed-Recipients: ${TO}`, 'Auto-Submitted: auto-replied'],
    parts: (refusal, original) => [
      text(
        `This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n  ${TO}\n    host mx.example.com [192.0.2.9]\n    SMTP error from remote mail server after RCPT TO:<${TO}>:\n    ${refusal}\n\n------ This is a copy of the message, including all the headers. ------\n\n${original}`,
      ),
    ],
  },
  {
    ...{ name: 'Exim, local words', from: EXIM, subject: 'Mail delivery failed', names: true },
    header: [`X-Failed-Recipients: ${TO}`, 'Auto-Submitted: auto-replied'],
    words: {
      unknown: 'Unrouteable address',
      full: 'mailbox is full (MTA-imposed quota exceeded while writing to file /var/mail/ada)',
      blocked: 'message rejected as spam by the system filter',
      large: 'message is too big (transport limit = 10M)',
      closed: 'account disabled',
    },
    parts: (refusal, original) => [
      text(
        `This message was created automatically by mail delivery software.\n\nA message sent by\n\n  news@shop.example\n\ncould not be delivered to one or more of its recipients. The following\naddress(es) failed:\n\n  ${TO}\n    ${refusal}\n\n------ This is a copy of the message's headers. ------\n\n${headerOf(original)}`,
      ),
    ],
  },
  {
    ...{ name: 'mail.ru', from: 'mailer-daemon@corp.mail.example', names: true },
    subject: '=?UTF-8?B?0JLQsNGI0LUg0YHQvtC+0LHRidC10L3QuNC1?=. Mail failure.',
    header: [`X-Failed-Recipients: ${TO}`, 'Auto-Submitted: auto-replied'],
    parts: (refusal, original) => [
      utf8(
        `Это письмо создано автоматически сервером Mail.Ru, отвечать на него не нужно.\n\nК сожалению, Ваше письмо не может быть доставлено одному или нескольким получателям:\n\n  ${TO}\n    SMTP error from remote mail server after RCPT TO:<${TO}>:\n    host mx.example.com [192.0.2.9]: ${refusal}\n\nРекомендуем Вам проверить корректность указания адресов получателей.\n\n**********************\n\n------ This is a copy of the message, including all the headers. ------\n\n${original}`,
      ),
    ],
  },
  {
    ...{ name: 'GMX', from: 'MAILER-DAEMON@mail.gmx.example', names: true },
    subject: 'Mail delivery failed: returning message to sender',
    parts: (refusal, original) => [
      utf8(
        `This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of\nits recipients. This is a permanent error. The following address\nfailed:\n\n"${TO}":\nSMTP error from remote server after RCPT command:\nhost: mx.example.com\n${refusal.slice(4)}\n\n\n--- The header of the original message is following. ---\n\n${headerOf(original)}`,
      ),
    ],
  },
  {
    ...{ name: 'DragonFly dma', from: 'MAILER-DAEMON <>', subject: 'Mail delivery failed', names: true },
    header: [`X-Original-To: <${TO}>`],
    parts: (refusal, original) => [
      text(
        `This is the DragonFly Mail Agent v0.13 at mx.relay.example.\n\nThere was an error delivering your mail to <${TO}>.\n\nmx.example.com [192.0.2.9] did not like our RCPT TO:\n${refusal}\n\nMessage headers follow.\n\n${headerOf(original)}`,
      ),
    ],
  },
  {
    ...{
      name: 'Postfix, without its other parts',
      from: DAEMON,
      subject: 'Undelivered Mail Returned to Sender',
      names: true,
    },
    parts: (refusal) => [
      text(
        `This is the mail system at host mx.relay.example.\n\nI'm sorry to have to inform you that your message could not\nbe delivered to one or more recipients. It's attached below.\n\nFor further assistance, please send mail to postmaster.\n\nIf you do so, please include this problem report. You can\ndelete your own text from the attached returned message.\n\n                   The mail system\n\n<${TO}>: host mx.example.com[192.0.2.9] said: ${refusal}\n    (in reply to RCPT TO command)\n`,
      ),
    ],
  },
  {
    ...{ name: 'sendmail, without its other parts', names: true },
    ...{ from: `Mail Delivery Subsystem <${DAEMON}>`, subject: 'Returned mail: see transcript for details' },
    parts: (refusal, original) => [
      text(
        `The original message was received at Sat, 21 Nov 2026 08:00:00 GMT\nfrom localhost [127.0.0.1]\n\n   ----- The following addresses had permanent fatal errors -----\n<${TO}>\n    (reason: ${refusal})\n\n   ----- Transcript of session follows -----\n... while talking to mx.example.com.:\n>>> DATA\n<<< ${refusal}\n${refusal.slice(0, 4)}${refusal.slice(4, 10)}<${TO}>... ${refusal.slice(10)}\n<<< 503 5.0.0 Need RCPT (recipient)\n`,
      ),
      returned(original),
    ],
  },
  {
    ...{
      name: 'sendmail 5',
      from: `Mail Delivery Subsystem <${DAEMON}>`,
      subject: 'Returned mail: User unknown',
      names: true,
    },
    parts: (refusal, original) => [
      text(
        `   ----- Transcript of session follows -----\nWhile talking to mx.example.com:\n>>> RCPT To:<${TO}>\n<<< ${refusal}\n${refusal.slice(0, 3)} <${TO}>... ${refusal.slice(4)}\n\n   ----- Unsent message follows -----\n${original}`,
      ),
    ],
  },
  {
    ...{ name: 'Courier, without its other parts', from: 'postmaster@relay.example', names: true },
    subject: 'NOTICE: mail delivery status.',
    parts: (refusal, original) => [
      text(
        `This is a delivery status notification from mx.relay.example,\nrunning the Courier mail server, version 1.0.16.\n\n---------------------------------------------------------------------------\n\n                           UNDELIVERABLE MAIL\n\nYour message to the following recipients cannot be delivered:\n\n<${TO}>:\n    mx.example.com [192.0.2.9]:\n>>> RCPT TO:<${TO}>\n<<< ${refusal}\n\n---------------------------------------------------------------------------\n`,
      ),
      returned(original),
    ],
  },
  {
    ...{ name: 'Oracle Messaging Server', from: 'postmaster@relay.example', names: true },
    subject: 'Delivery Notification: Delivery has failed',
    parts: (refusal, original) => [
      text(
        `This report relates to a message you sent with the following header fields:\n\n  Message-id: <1@shop.example>\n  Subject: Spring\n\nYour message cannot be delivered to the following recipients:\n\n  Recipient address: ${TO}\n  Reason: Remote SMTP server has rejected address\n  Diagnostic code: smtp;${refusal}\n  Remote system: dns;mx.example.com (TCP|192.0.2.1|47323|192.0.2.9|25)\n`,
      ),
      returned(original),
    ],
  },
]
