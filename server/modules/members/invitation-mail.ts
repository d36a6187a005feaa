import { DAY_SECONDS } from '../../platform/durations.ts'
import type { SystemMail } from '../system-mail/system-mailer.ts'

/** How long the link of an invitation is good, and its mail is tried. */
const INVITATION_DAYS = 7
export const INVITATION_SECONDS = INVITATION_DAYS * DAY_SECONDS

/** The page of the dashboard that the link opens. */
export const INVITATION_PAGE = 'accept-invitation'

export type InvitationMail = {
  email: string
  role: string
  workspaceName: string
  inviterName: string | null
  url: string
}

export function invitationMail({ email, role, workspaceName, inviterName, url }: InvitationMail): SystemMail {
  const by = inviterName === null ? 'You are invited' : `${inviterName} invites you`
  return {
    kind: 'invitation',
    recipient: email,
    lifeSeconds: INVITATION_SECONDS,
    content: {
      subject: `Invitation to ${workspaceName}`,
      paragraphs: [`${by} to the workspace ${workspaceName} as ${role}.`],
      link: { label: 'Accept the invitation', url },
      closing: [
        `The link is for ${email} only, works once, and is good for ${INVITATION_DAYS} days.`,
        'If you do not expect this mail, leave it: nothing happens.',
      ],
    },
  }
}
