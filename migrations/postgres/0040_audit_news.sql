-- What people are told of at their next visit, however much else is in the log. The statement that reads it names the same actions.
CREATE INDEX audit_news ON audit (tenant_id, number) WHERE action IN (
    'factor.add', 'factor.remove', 'key.issue', 'person.change',
    'person.change_password', 'person.grant_operator', 'person.issue_reset', 'person.join',
    'person.link_account', 'person.reset_password', 'person.sign_in', 'person.unlink_account',
    'recovery_codes.issue', 'settings.change', 'webhook_secret.disable', 'webhook_secret.issue');
