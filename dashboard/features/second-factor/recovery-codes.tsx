import { CodeBlock } from '../../ui/code-block.tsx'
import { Button } from '../../ui/controls.tsx'
import { Notice } from '../../ui/notice.tsx'

/** The codes, this once. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <div className="form">
      <Notice tone="warn">
        Keep these where you find them without your phone. Each logs you in once, and they are shown this once.
      </Notice>
      <CodeBlock title="Recovery codes" text={codes.join('\n')} />
      <div className="form-actions">
        <Button kind="primary" onClick={onClose}>
          I have kept them
        </Button>
      </div>
    </div>
  )
}
