// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { Session } from './shared.ts'

export type Account = {
  id: string
  email: string
  name: string
  /** Whether logging in asks for a code besides the password. */ secondFactor: boolean
  passwordChangedAt: string
  createdAt: string
  updatedAt: string
}

export type AccountChange = {
  name?: string
}

export type LogInBody = {
  email: string
  password: string
}

export type OpenPasswordReset = {
  email: string
  expiresAt: string
}

export type PasswordBody = {
  currentPassword: string
  newPassword: string
}

export type PasswordResetBody = {
  password: string
}

export type PasswordResetRequestBody = {
  email: string
}

export type PasswordResetRequested = {
  status: 'accepted'
}

export type RecoveryCodes = {
  /** 10 codes, shown this once. */ recoveryCodes: Array<string>
}

export type SecondFactorCodeBody = {
  currentPassword: string
  /** The authenticator's code. */ code?: string
  /** Instead of `code`; works once. Letter case and dashes do not matter. */ recoveryCode?: string
}

export type SecondFactorConfirmBody = {
  /** The authenticator's code. */ code: string
}

export type SecondFactorEnrolBody = {
  currentPassword: string
}

export type SecondFactorEnrolment = {
  /** Base32, to be typed into an authenticator. Shown this once. */ secret: string
  /** The same as the content of a QR code. */ otpauthUrl: string
}

export type SecondFactorRequired = {
  secondFactor: 'required'
  ticket: string
  expiresAt: string
}

export type SecondFactorState = {
  enabled: boolean
  enabledAt: string | null
  recoveryCodesLeft: number
}

export type SecondStepBody = {
  ticket: string
  /** The authenticator's code. */ code?: string
  /** Instead of `code`; works once. Letter case and dashes do not matter. */ recoveryCode?: string
}

export type SessionInfo = {
  id: string
  createdAt: string
  /** To the minute. */ lastSeenAt: string
  /** Where it was opened from. */ ip: string | null
  userAgent: string | null
  /** Whether it is the one in use. */ current: boolean
}

export type SessionInfoPage = {
  items: Array<SessionInfo>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type AuthOperations = {
  'DELETE /site/auth/sessions/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /site/auth/me': {
    params: undefined
    query: undefined
    body: undefined
    answer: Account
  }
  'GET /site/auth/password-reset/{token}': {
    params: { token: string }
    query: undefined
    body: undefined
    answer: OpenPasswordReset
  }
  'GET /site/auth/second-factor': {
    params: undefined
    query: undefined
    body: undefined
    answer: SecondFactorState
  }
  'GET /site/auth/session': {
    params: undefined
    query: undefined
    body: undefined
    answer: Session
  }
  'GET /site/auth/sessions': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: SessionInfoPage
  }
  'PATCH /site/auth/me': {
    params: undefined
    query: undefined
    body: AccountChange
    answer: Account
  }
  'POST /site/auth/login': {
    params: undefined
    query: undefined
    body: LogInBody
    answer: Session | SecondFactorRequired
  }
  'POST /site/auth/logout': {
    params: undefined
    query: undefined
    body: undefined
    answer: null
  }
  'POST /site/auth/password': {
    params: undefined
    query: undefined
    body: PasswordBody
    answer: null
  }
  'POST /site/auth/password-reset': {
    params: undefined
    query: undefined
    body: PasswordResetRequestBody
    answer: PasswordResetRequested
  }
  'POST /site/auth/password-reset/{token}': {
    params: { token: string }
    query: undefined
    body: PasswordResetBody
    answer: null
  }
  'POST /site/auth/second-factor': {
    params: undefined
    query: undefined
    body: SecondStepBody
    answer: Session
  }
  'POST /site/auth/second-factor/confirm': {
    params: undefined
    query: undefined
    body: SecondFactorConfirmBody
    answer: RecoveryCodes
  }
  'POST /site/auth/second-factor/disable': {
    params: undefined
    query: undefined
    body: SecondFactorCodeBody
    answer: null
  }
  'POST /site/auth/second-factor/enrol': {
    params: undefined
    query: undefined
    body: SecondFactorEnrolBody
    answer: SecondFactorEnrolment
  }
  'POST /site/auth/second-factor/recovery-codes': {
    params: undefined
    query: undefined
    body: SecondFactorCodeBody
    answer: RecoveryCodes
  }
  'POST /site/auth/sessions/end-others': {
    params: undefined
    query: undefined
    body: undefined
    answer: null
  }
}
