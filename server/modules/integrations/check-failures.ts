import { SMTP_FAILURES, SMTP_PHASES } from '../../platform/mail/smtp-failure.ts'

/** How far the check of an integration came; `account` is what a provider says of its account, `sender` its own from address. */
export const CHECK_PHASES = [...SMTP_PHASES, 'account', 'sender'] as const
export type CheckPhase = (typeof CHECK_PHASES)[number]

/** Every way a check can fail: phase, and what a person is told. Codes are stable. */
export const CHECK_FAILURES = {
  ...SMTP_FAILURES,
  keys_refused: ['auth', 'Amazon SES does not know the access key, or its secret is another one.'],
  permission_missing: ['auth', 'The keys are right and lack the permission ses:GetAccount.'],
  account_timeout: ['account', 'Amazon SES did not answer in time.'],
  provider_throttled: ['account', 'Amazon SES is asked too often with this account. Try again in a minute.'],
  provider_unavailable: ['account', 'Amazon SES answers with a failure of its own.'],
  sending_paused: ['account', 'Amazon has paused sending for this account.'],
  not_ses: ['account', 'What answers at this endpoint is not the API of Amazon SES.'],
  from_unverified: [
    'sender',
    'The server takes the login, but the domain of the from address is no verified sending domain of this workspace: nothing from it would be sent.',
  ],
} as const satisfies Record<string, readonly [CheckPhase, string]>

export type CheckFailureCode = keyof typeof CHECK_FAILURES
export const CHECK_CODES = Object.keys(CHECK_FAILURES) as CheckFailureCode[]
