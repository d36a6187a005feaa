import { Type } from 'typebox'
import { ONE_TIME_TOKEN_CHARS } from '../../platform/crypto/one-time-token.ts'
import { answer, closed, nullable, Timestamp } from '../../platform/schema/schemas.ts'
import { PASSWORD_CHARS_MAX } from '../auth/password-rule.ts'
import { RECOVERY_CODES } from './recovery-codes.ts'

const Code = Type.String({ pattern: '^[0-9]{6}$', description: "The authenticator's code.", examples: ['287082'] })
const RecoveryCode = Type.String({
  minLength: 16,
  maxLength: 40,
  description: 'Instead of `code`; works once. Letter case and dashes do not matter.',
  examples: ['7K3M-9QXA-02WD-HJ5T'],
})
const CurrentPassword = Type.String({ minLength: 1, maxLength: PASSWORD_CHARS_MAX })

export const SecondStepBody = closed(
  'SecondStepBody',
  {
    ticket: Type.String({ minLength: 1, maxLength: 2 * ONE_TIME_TOKEN_CHARS }),
    code: Type.Optional(Code),
    recoveryCode: Type.Optional(RecoveryCode),
  },
  { examples: [{ ticket: 'ticket-from-the-login', code: '123456' }] },
)

export const FactorState = answer('SecondFactorState', {
  enabled: Type.Boolean(),
  enabledAt: nullable(Timestamp),
  recoveryCodesLeft: Type.Integer(),
})

export const EnrolBody = closed(
  'SecondFactorEnrolBody',
  { currentPassword: CurrentPassword },
  { examples: [{ currentPassword: 'correct horse battery staple' }] },
)

export const Enrolment = answer('SecondFactorEnrolment', {
  secret: Type.String({ description: 'Base32, to be typed into an authenticator. Shown this once.' }),
  otpauthUrl: Type.String({ description: 'The same as the content of a QR code.' }),
})

export const ConfirmBody = closed('SecondFactorConfirmBody', { code: Code }, { examples: [{ code: '123456' }] })

export const WithCodeBody = closed(
  'SecondFactorCodeBody',
  {
    currentPassword: CurrentPassword,
    code: Type.Optional(Code),
    recoveryCode: Type.Optional(RecoveryCode),
  },
  { examples: [{ currentPassword: 'correct horse battery staple', code: '123456' }] },
)

/** Fields of an act that asks for them once more (`step-up.ts`). */
export const stepUpFields = {
  password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: PASSWORD_CHARS_MAX,
      description: 'Your own, where it is asked for and you have no second factor.',
    }),
  ),
  code: Type.Optional({ ...Code, description: 'Of your second factor, instead of the password.' }),
  recoveryCode: Type.Optional(RecoveryCode),
}

export const RecoveryCodes = answer('RecoveryCodes', {
  recoveryCodes: Type.Array(Type.String(), { description: `${RECOVERY_CODES} codes, shown this once.` }),
})
