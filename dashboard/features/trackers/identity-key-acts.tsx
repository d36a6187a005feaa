import type { NewIdentityKey } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button } from '../../ui/controls.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { KeyIcon } from '../../ui/icons.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Fact, Facts } from '../../ui/panel.tsx'
import { SecretText } from '../../ui/secret-text.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'

type Making = { trackerId: string; isFull: boolean; onMade: (made: NewIdentityKey) => void }

export function MakeKey({ trackerId, isFull, onMade }: Making) {
  const create = useAct('POST /trackers/{id}/identity-keys', { changes: ['/trackers'] })
  return (
    <Button
      icon={KeyIcon}
      disabled={isFull}
      busy={create.isPending}
      onClick={() =>
        create
          .mutateAsync({ params: { id: trackerId } })
          .then(({ value }) => onMade(value))
          .catch(sayProblem)
      }
    >
      {isFull ? 'Two at most' : 'Make a key'}
    </Button>
  )
}

/** The key, this once, and how a server signs with it. */
export function ShownKey({ made: { kid, secret }, onClose }: { made: NewIdentityKey; onClose: () => void }) {
  return (
    <Dialog title="New identity key" isShownOnce opened onClose={onClose}>
      <div className="form">
        <Notice tone="warn">Copy the secret now: it is shown this once, and belongs on your server alone.</Notice>
        <Facts>
          <Fact name="Name (kid)">
            <Copyable text={kid} what="the name" />
          </Fact>
          <Fact name="Secret">
            <SecretText text={secret} what="the secret" />
          </Fact>
        </Facts>
        <CodeBlock title="On your server" text={signingWith(kid)} />
        <div className="form-actions">
          <Button kind="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

const signingWith = (kid: string) => `jwt.sign({ sub: user.id, email: user.email }, secret, {
  algorithm: 'HS256', keyid: '${kid}', audience: collectKey, expiresIn: '10m',
})`

type Revoking = { trackerId: string; kid: string | undefined; isLast: boolean; onClose: () => void }

export function RevokeKey({ trackerId, kid, isLast, onClose }: Revoking) {
  const remove = useAct('DELETE /trackers/{id}/identity-keys/{kid}', { changes: ['/trackers'] })
  return (
    <ConfirmDialog
      title={`Revoke the identity key ${kid}`}
      action="Revoke key"
      danger
      opened={kid !== undefined}
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ params: { id: trackerId, kid: kid! } })
        say('Revoked. What it signs is refused from now on.')
      }}
    >
      <p>
        What is signed with it is refused from now on, and it cannot be brought back.
        {isLast && ' It is the only one: until you make another, your server cannot say who somebody is.'}
      </p>
    </ConfirmDialog>
  )
}
