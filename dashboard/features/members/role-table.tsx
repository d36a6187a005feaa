import { ROLE_PERMISSIONS } from '../../lib/catalogue.ts'
import { wordsOf } from '../../lib/format.ts'
import type { Permission } from '../../lib/site-types.ts'
import { CheckIcon } from '../../ui/icons.tsx'
import { ROLE_WORDS, ROLES } from './role-words.ts'
import classes from './team.module.css'

/** What each role may do: the server's own table. */
export function RoleTable() {
  return (
    <>
      <dl className={classes.roles}>
        {ROLES.map((role) => (
          <div key={role}>
            <dt>{ROLE_WORDS[role].name}</dt>
            <dd>{ROLE_WORDS[role].words}</dd>
          </div>
        ))}
      </dl>
      <table className={classes.table}>
        <caption className="visually-hidden">Permissions of each role</caption>
        <thead>
          <tr>
            <th scope="col">Permission</th>
            {ROLES.map((role) => (
              <th key={role} scope="col">
                {ROLE_WORDS[role].name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROLE_PERMISSIONS.owner.map((permission) => (
            <tr key={permission}>
              <th scope="row">
                {wordsText(permission)} <code>{permission}</code>
              </th>
              {ROLES.map((role) => (
                <td key={role}>
                  {ROLE_PERMISSIONS[role].includes(permission) ? (
                    <>
                      <CheckIcon size={15} />
                      <span className="visually-hidden">yes</span>
                    </>
                  ) : (
                    <span className="visually-hidden">no</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

/** `custom_fields:write` as `Custom fields, write`. */
function wordsText(permission: Permission): string {
  return wordsOf(permission.replace(':', ', '))
}
