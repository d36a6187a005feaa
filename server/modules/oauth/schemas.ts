import { Type } from 'typebox'
import { AGENT_SCOPES } from '../../catalogue/scopes.ts'
import { answer, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

export const ConnectedAgent = answer('ConnectedAgent', {
  id: Id,
  name: Type.String({ description: 'As it calls itself.', examples: ['Claude'] }),
  clientHost: nullable(
    Type.String({ description: 'Where it is described; null: nobody has checked its name.', examples: ['claude.ai'] }),
  ),
  redirectHost: Type.String({ description: 'Where it was connected from.', examples: ['claude.ai'] }),
  connectedBy: Type.Object({ id: Id, name: Type.String() }),
  scopes: Type.Array(oneOf(AGENT_SCOPES)),
  connectedAt: Timestamp,
  lastUsedAt: nullable(Timestamp),
  expiresAt: Timestamp,
  disconnectedAt: nullable(Timestamp),
})
