import type { MadeToken } from '../../lib/site-types.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { scopeSummary } from './scope-summary.ts'
import classes from './tokens.module.css'

/** The token, this once, with requests that use it. */
export function ShownToken({ made: { token, tokenInfo } }: { made: MadeToken }) {
  const { origin } = location
  const canRecord = tokenInfo.scopes.includes('events:write')
  return (
    <>
      <PageHeader title={tokenInfo.name} back={{ to: '/tokens', label: 'Tokens' }}>
        {scopeSummary(tokenInfo.scopes)}
      </PageHeader>
      <div className={classes.shown}>
        <Notice tone="warn">Copy it now: it is shown this once. What is stored tells nobody what it was.</Notice>
        <CodeBlock title="Token" text={token} />
        <CodeBlock title="Try it" text={`curl '${origin}/api/auth/me' \\\n  -H 'Authorization: Bearer ${token}'`} />
        {canRecord && (
          <CodeBlock
            title="Record an event"
            text={`curl '${origin}/api/events' \\\n  -H 'Authorization: Bearer ${token}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"events":[{"action":"order.paid","email":"ada@example.com","properties":{"total":12.5}}]}'`}
          />
        )}
        <div>
          <ButtonLink to="/tokens" kind="primary">
            I have copied it
          </ButtonLink>
        </div>
      </div>
    </>
  )
}
