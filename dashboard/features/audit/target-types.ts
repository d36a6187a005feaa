/** All that entries are about, as the navigation has them: people, mail, delivery, programs, the workspace. */
export const TARGET_TYPES = [
  ...['contact', 'tag', 'topic', 'custom_field', 'segment', 'form', 'unsubscribe', 'suppression'],
  ...['contact_import', 'contact_export', 'bulk_act', 'move'],
  ...['broadcast', 'automation', 'template', 'saved_block', 'asset', 'email', 'approval'],
  ...['sending_domain', 'sending_settings', 'integration', 'feedback_hooks', 'mailbox'],
  ...['webhook_endpoint', 'webhook_delivery', 'tracker', 'api_token', 'agent'],
  ...['user', 'invitation', 'workspace', 'audit_log', 'installation'],
]
