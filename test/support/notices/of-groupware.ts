import { headerOf, type NoticeKind, returned, TO, text, utf8 } from './notice-kind.ts'

/** Groupware, and providers of mailboxes with a form of their own. */
export const OF_GROUPWARE: readonly NoticeKind[] = [
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
]
