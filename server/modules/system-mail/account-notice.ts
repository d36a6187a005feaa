import { DAY_SECONDS } from '../../platform/durations.ts'
import type { SystemMail } from './system-mailer.ts'

const NOTICE_SECONDS = DAY_SECONDS

/** Tells a person what happened to their account, so that they notice what they did not do. */
export function accountNotice(user: { email: string; name: string }, what: string): SystemMail {
  return {
    kind: 'account_notice',
    recipient: user.email,
    lifeSeconds: NOTICE_SECONDS,
    content: {
      subject: what.replace(/\.$/, ''),
      paragraphs: [`Hello ${user.name},`, what, 'If that was not you, set a new password and tell your administrator.'],
    },
  }
}
