import { type NoticeKind, returned, TO, text, utf8 } from './notice-kind.ts'

/** Gateways that filter mail, and smaller systems. */
export const OF_GATEWAYS: readonly NoticeKind[] = [
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
