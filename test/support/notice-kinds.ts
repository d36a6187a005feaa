/**
 * Reports of mail systems in other forms than RFC 3464, as each writes them: OpenSMTPD's by its source (bounce.c), the
 * others' by notices that they have sent.
 */

export const REFUSALS = {
  unknown: '550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown',
  full: '552 5.2.2 <ada@example.com> Mailbox full',
  blocked: '554 5.7.1 Service unavailable; client [192.0.2.7] blocked using bl.receiver.example',
  large: '552 5.3.4 Message size exceeds fixed limit',
  closed: '550 5.2.1 The email account that you tried to reach is disabled',
} as const
export type Refusal = keyof typeof REFUSALS

export type NoticePart = { type: string; text: string }
export type NoticeKind = {
  name: string
  from: string
  subject: string
  header?: readonly string[]
  /** Its own words for a refusal, where it does not pass on those of the server. */
  words?: Readonly<Record<Refusal, string>>
  /** It names its recipient where one can be read; otherwise that is known from the return path alone. */
  names: boolean
  /** One part is the mail's text itself, several are of a multipart of `multipart` (`mixed`). */
  parts(refusal: string, original: string): NoticePart[]
  multipart?: string
}

const TO = 'ada@example.com'
const text = (body: string, type = 'text/plain; charset=us-ascii'): NoticePart => ({ type, text: body })
const utf8 = (body: string): NoticePart => text(body, 'text/plain; charset=utf-8')
const returned = (original: string): NoticePart => ({ type: 'message/rfc822', text: original })
const headerOf = (original: string) => original.split('\n\n', 1)[0]!
const DAEMON = 'MAILER-DAEMON@mx.relay.example'
const EXIM = 'Mail Delivery System <Mailer-Daemon@mx.relay.example>'

const qmail =
  (greeting: string, reason: (refusal: string) => string, end: string) => (refusal: string, original: string) => [
    text(`${greeting}\n\n<${TO}>:\n${reason(refusal)}\n\n${end}\n\n${original}`),
  ]

export const NOTICE_KINDS: readonly NoticeKind[] = [
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
    ...{
      name: 'Exchange 5.5',
      from: 'System Administrator <postmaster@relay.example>',
      subject: 'Undeliverable: Spring',
    },
    names: true,
    words: {
      unknown: 'The recipient name is not recognized\n    MSEXCH:IMS:CORP:SITE:MX 0 (000C05A6) Unknown Recipient',
      full: "The recipient's mailbox is full\n    MSEXCH:IMS:CORP:SITE:MX 0 (000C0595)",
      blocked: 'The message was blocked as unsolicited\n    MSEXCH:IMS:CORP:SITE:MX 0 (000C05A7)',
      large: 'The message is too large\n    MSEXCH:IMS:CORP:SITE:MX 0 (000C0592)',
      closed: 'The account is disabled\n    MSEXCH:IMS:CORP:SITE:MX 0 (000C0593)',
    },
    parts: (refusal) => [
      text(
        `Your message\n\n  To:      ${TO}\n  Subject: Spring\n  Sent:    Sat, 21 Nov 2026 08:00:00 -0000\n\ndid not reach the following recipient(s):\n\n${TO} on Sat, 21 Nov 2026 08:00:00 -0000\n    ${refusal}\n`,
      ),
    ],
  },
  {
    ...{
      name: 'Exchange 2000',
      from: 'System Administrator <postmaster@relay.example>',
      subject: 'Undeliverable: Spring',
    },
    names: true,
    parts: (refusal, original) => [
      text(
        `Your message\n\n      Subject: Spring\n      Sent: 11/21/2026 8:00 AM\n\ndid not reach the following recipient(s):\n\n      ${TO} on 11/21/2026 8:00 AM\n            There was a SMTP communication problem with the recipient's email server.  Please contact your system administrator.\n            <mx.relay.example #${refusal.slice(4, 9)} smtp;${refusal}>\n`,
      ),
      returned(original),
    ],
  },
  {
    ...{ name: 'Exchange 2007', from: 'postmaster@relay.example', subject: 'Undeliverable: Spring', names: true },
    multipart: 'alternative',
    parts: (refusal, original) => [
      text(
        `Delivery has failed to these recipients or distribution lists:\n\nAda<mailto:${TO}>\nMicrosoft Exchange will not try to redeliver this message for you. Please provide the following diagnostic text to your system administrator.\n\n________________________________\nSent by Microsoft Exchange Server 2007\n\nDiagnostic information for administrators:\n\nGenerating server: mx.relay.example\n\n${TO}\n#${refusal} ##\n\nOriginal message headers:\n\n${headerOf(original)}`,
      ),
      text(`<html><body><p>Delivery has failed to <a href="mailto:${TO}">Ada</a></p></body></html>`, 'text/html'),
    ],
  },
  {
    ...{ name: 'Domino', from: 'Postmaster@relay.example', subject: 'DELIVERY FAILURE: User not listed', names: true },
    words: {
      unknown: `User ada (${TO}) not listed in Domino Directory`,
      full: 'Mailbox full: the database has exceeded its quota',
      blocked: 'Rejected for policy reasons',
      large: 'Message too large: exceeds maximum size',
      closed: 'The account is inactive',
    },
    parts: (refusal, original) => [
      text(`Your message\n\n  Subject: Spring\n\nwas not delivered to:\n\n  ${TO}\n\nbecause:\n\n  ${refusal}\n`),
      returned(original),
    ],
  },
  {
    ...{ name: 'Notes', from: 'postmaster@relay.example', subject: 'Undeliverable message', names: false },
    words: {
      unknown: 'User not listed in public Name & Address Book',
      full: 'Mailbox is full',
      blocked: 'Blocked by policy',
      large: 'Message is too large',
      closed: 'Mailbox disabled',
    },
    parts: (refusal, original) => [
      text(`------- Failure Reasons  --------\n\n${refusal}\n\n------- Returned Message --------\n${original}`),
    ],
  },
  {
    ...{ name: 'Gmail, plain', from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.example>', names: true },
    subject: 'Delivery Status Notification (Failure)',
    header: [`X-Failed-Recipients: ${TO}`],
    parts: (refusal, original) => [
      text(
        `Delivery to the following recipient failed permanently:\n\n     ${TO}\n\nTechnical details of permanent failure:\nGoogle tried to deliver your message, but it was rejected by the server for the recipient domain example.com by mx.example.com. [192.0.2.9].\n\nThe error that the other server returned was:\n${refusal}\n\n----- Original message -----\n\n${original}`,
        'text/plain; charset=ISO-8859-1',
      ),
    ],
  },
  {
    ...{ name: 'Amazon WorkMail', from: 'MAILER-DAEMON@eu-west-1.amazonses.example', names: true },
    subject: '=?iso-8859-15?Q?Delivery_Status_Notification_=28Failure=29?=',
    parts: (refusal, original) => [
      text(
        `An error occurred while trying to deliver the mail to the following recipients:\n${TO}\n\nTechnical report:\n\nReporting-MTA: dsn; a1-2.smtp-out.example\n\nAction: failed\nFinal-Recipient: rfc822; ${TO}\nDiagnostic-Code: smtp; ${refusal}\nStatus: ${refusal.slice(4, 9)}\n`,
        'text/plain; charset=iso-8859-15',
      ),
      returned(original),
    ],
  },
  {
    ...{
      name: 'Zoho',
      from: 'mailer-daemon@mail.zoho.example',
      subject: 'Undelivered Mail Returned to Sender',
      names: true,
    },
    parts: (refusal, original) => [
      utf8(
        `This message was created automatically by mail delivery software.\nA message that you sent could not be delivered to one or more of its recipients. This is a permanent error. \n\n${TO} Invalid Address, ERROR_CODE :${refusal.slice(0, 3)}, ERROR_CODE :${refusal.slice(4)}\n\n\nReceived:from mail.zoho.example by mx.zoho.example\n${headerOf(original)}`,
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
  {
    ...{
      name: 'MailFoundry',
      from: 'MAILER-DAEMON@relay.example',
      subject: 'Message delivery has failed',
      names: true,
    },
    parts: (refusal, original) => [
      text(
        `Unable to deliver message to: <${TO}>\nDelivery failed for the following reason:\nServer mx.example.com[192.0.2.9] failed with: ${refusal}\n\nThis has been a permanent failure.  No further delivery attempts will be made.\n`,
      ),
      returned(original),
    ],
  },
  {
    ...{ name: 'McAfee', from: '<MAILER-DAEMON@relay.example>', subject: 'Delivery Status', names: true },
    parts: (refusal, original) => [
      text(`    --- The following addresses had delivery problems ---\n\n<${TO}>   (${refusal.slice(10)})\n`),
      text(
        `Original-Recipient: <${TO}>\nAction: failed\nDiagnostic-Code: smtp; ${refusal}\nRemote-MTA: 192.0.2.9\n`,
        'message/delivery-status; name="deliverystatus.txt"',
      ),
      returned(original),
    ],
  },
  {
    ...{ name: 'SurfControl', from: '<MAILER-DAEMON@relay.example>', subject: 'Spring', names: true },
    parts: (refusal, original) => [
      text(
        `Your message could not be sent.\nA transcript of the attempts to send the message follows.\nThe number of attempts made: 1\nAddressed To: ${TO}\n\nSat 21 Nov 2026 08:00:00 +0000\nFailed to send to identified host,\n${TO}: [192.0.2.9], ${refusal}\n--- Message non-deliverable.\n`,
      ),
      returned(original),
    ],
  },
  {
    ...{
      name: 'InterScan',
      from: '"InterScan MSS" <postmaster@relay.example>',
      subject: 'Mail could not be delivered',
      names: true,
    },
    parts: (refusal, original) => [
      text(
        `****** Message from InterScan Messaging Security Suite ******\n\nSent <<< RCPT TO:<${TO}>\nReceived >>> ${refusal}\n\nUnable to deliver message to <${TO}>.\n\n************************     End of message     **********************\n`,
      ),
      returned(original),
    ],
  },
  {
    ...{
      name: 'Active!hunter',
      from: '"MAILER-DAEMON" <MAILER-DAEMON@relay.example>',
      subject: 'FAILURE NOTICE : Spring',
      names: true,
    },
    parts: (refusal, original) => [
      text(
        `The original message was received at Sat, 21 Nov 2026 08:00:00 +0900\nfrom shop.example\n\n  ----- The following addresses had permanent fatal errors -----\n\n>>> ${TO} <${TO}>\n\n  ----- Transcript of session follows -----\n${refusal}\n`,
      ),
      returned(original),
    ],
  },
  {
    ...{ name: 'IMail', from: '"Postmaster" <postmaster@relay.example>', subject: 'Undeliverable Mail', names: true },
    words: {
      unknown: `Unknown user: ${TO}`,
      full: `User mailbox exceeds allowed size: mailbox full: ${TO}`,
      blocked: `Message blocked as spam: ${TO}`,
      large: `Message too large: ${TO}`,
      closed: `Account disabled: ${TO}`,
    },
    parts: (refusal, original) => [text(`${refusal}\n\n\nOriginal message follows.\n\n${original}`)],
  },
  {
    ...{
      name: 'KDDI',
      from: 'no-reply@relay.example',
      subject: '=?utf-8?B?44Oh44O844Or44Ko44Op44O86YCa55+l?=',
      names: false,
    },
    words: {
      unknown: '宛先のメールアドレスが見つかりませんでした。',
      full: '送信先のメールボックスが一杯のため、送信できませんでした。',
      blocked: '迷惑メールと判定されたため、送信できませんでした。',
      large: 'メールのサイズが制限を超えているため、送信できませんでした。',
      closed: '送信先のアカウントは停止されています。',
    },
    parts: (refusal, original) => [
      utf8(`${refusal}\n\n※本メールはメールシステムより配信しております。\nこのメールには直接返信いただけません。\n`),
      returned(original),
    ],
  },
]
