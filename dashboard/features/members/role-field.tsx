import type { Role } from '../../lib/site-types.ts'
import { ChoiceField } from '../../ui/choice.tsx'
import { ROLE_WORDS, rolesUpTo } from './role-words.ts'

/** Roles that one may give: none above one's own. */
export function RoleField({ own, value, onChange }: { own: Role; value: Role; onChange: (role: Role) => void }) {
  return (
    <ChoiceField
      label="Role"
      value={value}
      onChange={onChange}
      choices={rolesUpTo(own).map((role) => ({
        value: role,
        label: ROLE_WORDS[role].name,
        description: ROLE_WORDS[role].words,
      }))}
    />
  )
}
