import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actText } from '../../dashboard/features/audit/act-words.ts'

test('codes of the audit log are read as sentences, those that nobody has thought of as well', () => {
  const said = {
    'contact.create': 'created the contact',
    'sending_domain.update': 'changed the sending domain',
    'webhook_endpoint.rotate_secret': 'rotated the secret of the webhook',
    'broadcast.export_recipients': 'exported the recipients of the broadcast',
    'email.send': 'sent the email',
    'automation.simulate': 'replayed the past through the automation',
    'automation_simulation.cancel': 'canceled a replay of the automation',
    'broadcast.retry_failed': 'tried again the failed messages of the broadcast',
    'automation.skip_runs': 'led people past the step at which they failed in the automation',
    'invitation.resend': 'sent again the invitation',
    'some_thing.verify': 'verified the some thing',
    'some_thing.replay': 'replayed the some thing',
    'user.login_failed': 'could not log in',
    'some_thing.refresh': 'refreshed the some thing',
    untold: 'untold',
  }
  for (const [action, words] of Object.entries(said)) assert.equal(actText(action), words)
})
