import { useEffect, useState } from 'react'
import { countText, numberText } from '../../lib/format.ts'
import type { AuditChainState } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Shown } from '../../ui/states.tsx'

const FAULTS: Readonly<Record<NonNullable<AuditChainState['fault']>, string>> = {
  missing: 'an entry is gone',
  changed: 'an entry is not what was sealed',
  added: 'an entry stands where the chain has none',
  resealed: 'the log was rewritten and its chain computed anew by somebody without our key',
  key_unknown: 'it was sealed with a key that ENCRYPTION_KEY no longer lists',
}

/** Reads the whole chain now, and says whether it holds. */
export default function VerifyDialog({ onClose }: { onClose: () => void }) {
  const [cursor, setCursor] = useState<string>()
  const chain = useSite('GET /audit-entries/verify', { query: cursor ? { cursor } : {} }, { staleMs: 0, keep: true })
  const next = chain.isPlaceholderData ? undefined : chain.data?.nextCursor
  useEffect(() => {
    if (next !== undefined) setCursor(next)
  }, [next])
  return (
    <Dialog wide title="Is the log whole?" opened onClose={onClose}>
      <Shown read={chain} rows={3}>
        {({ intact, sealedEntries, unsealedEntries, prunedEntries, seal, brokenAt, fault, nextCursor }) => (
          <div className="form">
            {nextCursor ? (
              <p role="status">
                {numberText(Number(nextCursor) - prunedEntries)} of{' '}
                {countText(sealedEntries, 'sealed entry', 'sealed entries')} are looked at so far…
              </p>
            ) : intact ? (
              <Notice tone="good">
                All {countText(sealedEntries, 'sealed entry', 'sealed entries')} are as they were written.
                {unsealedEntries > 0 && ` ${numberText(unsealedEntries)} from just now are sealed within seconds.`}
              </Notice>
            ) : (
              <Notice tone="bad">
                The log does not hold at place {brokenAt === null ? 'unknown' : numberText(brokenAt)}
                {fault !== null && `: ${FAULTS[fault]}`}.
              </Notice>
            )}
            {prunedEntries > 0 && (
              <p className="soft">
                {countText(prunedEntries, 'entry was', 'entries were')} deleted by age, as the settings say.
              </p>
            )}
            <CodeBlock title="Seal over all of them" text={seal} />
            <p className="soft">Noted elsewhere, it shows later that no entry was exchanged.</p>
          </div>
        )}
      </Shown>
    </Dialog>
  )
}
