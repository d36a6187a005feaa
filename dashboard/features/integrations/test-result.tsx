import type { IntegrationTestResult } from '../../lib/site-types.ts'
import { CheckIcon, XIcon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import classes from './integrations.module.css'

type Phase = NonNullable<IntegrationTestResult['phase']>

const SMTP: readonly Phase[] = ['dns', 'connect', 'tls', 'greeting', 'ehlo', 'auth', 'sender']
const SES: readonly Phase[] = ['dns', 'connect', 'tls', 'auth', 'account', 'sender']
const WORDS: Readonly<Record<Phase, string>> = {
  dns: 'Find the server',
  connect: 'Connect',
  tls: 'Encrypt',
  greeting: 'Be greeted',
  ehlo: 'Introduce ourselves',
  auth: 'Log in',
  account: 'Read the account',
  sender: 'Sender’s domain',
}

/** How far a test came, phase by phase. Nothing was sent. */
export function TestResult({ kind, result }: { kind: 'smtp' | 'ses'; result: IntegrationTestResult }) {
  const phases = kind === 'ses' ? SES : SMTP
  const failedAt = result.phase === null ? phases.length : phases.indexOf(result.phase)
  return (
    <div className={classes.result} role="status">
      <p className={classes.verdict} data-ok={result.ok || undefined}>
        {result.ok ? 'Mail could be handed over now.' : result.message}
      </p>
      <ol className={classes.phases}>
        {phases.map((phase, index) => (
          <li key={phase} data-state={index < failedAt ? 'passed' : index === failedAt ? 'failed' : 'open'}>
            {index < failedAt ? <CheckIcon size={14} /> : index === failedAt ? <XIcon size={14} /> : <i />}
            {WORDS[phase]}
            <span className="visually-hidden">
              {index < failedAt ? ', passed' : index === failedAt ? ', failed here' : ', not reached'}
            </span>
          </li>
        ))}
      </ol>
      {result.reply !== null && <pre className={classes.reply}>{result.reply}</pre>}
      <p className={classes.soft}>
        {result.tlsVersion !== null && `${result.tlsVersion}, `}
        {result.durationMs} ms. Nothing was sent.
        {result.code === 'from_unverified' && (
          <>
            {' '}
            <Link to="/domains">Verify the domain</Link> of the sender next.
          </>
        )}
      </p>
    </div>
  )
}
