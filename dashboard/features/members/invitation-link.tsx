import { CodeBlock } from '../../ui/code-block.tsx'
import { Button } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** The link of an invitation, this once, where this installation sends no mail to people. */
export function InvitationLink({ email, link, onClose }: { email: string; link: string; onClose: () => void }) {
  return (
    <Dialog wide title="Hand this link over" isShownOnce opened onClose={onClose}>
      <div className="form">
        <p className="soft">
          This installation sends no mail to people, so hand the link to {email} yourself. It is shown this once;
          whoever has it can open the account.
        </p>
        <CodeBlock title="Invitation link" text={link} />
        <div className="form-actions">
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
