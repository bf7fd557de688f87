-- Access: row-level security of all tenant tables, and the rights of the service, which owns nothing.

-- Fences tenant tables: the service reads and writes only rows of the workspace that `tentpole.workspace_id` of the transaction
-- names, and none when it is unset. It is the second safeguard: every statement also filters by its workspace. Partitions need
-- nothing: the service reaches them through their parents only.
do $$
declare
  tenant regclass;
begin
  foreach tenant in array array[
    'outbox_stream', 'outbox_event', 'outbox_consumer',
    'workspace_home', 'sending_domain',
    'contact_field', 'contact', 'contact_tally', 'contact_former_id', 'activity',
    'list', 'list_member',
    'topic', 'topic_choice', 'topic_tally', 'consent_record', 'subscription_request',
    'generation',
    'email', 'email_version', 'email_approval',
    'email_template', 'email_template_version', 'email_template_approval',
    'tent_template', 'tent_template_version', 'tent_template_approval',
    'tent', 'tent_version', 'tent_alias', 'tent_asset', 'bulk_job', 'bulk_item',
    'delivery', 'delivery_queue', 'delivery_lane', 'suppression', 'test_mail',
    'email_message', 'email_message_content', 'email_message_file', 'email_message_tag', 'email_message_key',
    'hook_token',
    'blast', 'delivery_tally', 'delivery_hour', 'delivery_domain', 'delivery_reason', 'delivery_pace', 'delivery_click', 'delivery_link',
    'figure_day',
    'flow', 'flow_email', 'flow_clock', 'flow_date_fired', 'flow_membership', 'flow_event', 'flow_made', 'flow_tally',
    'flow_step_tally',
    'import_session', 'import_run', 'import_row', 'import_confirmation',
    'export',
    'form_submission', 'form_consent',
    'webhook_endpoint', 'webhook_reader', 'webhook_lease', 'webhook_delivery', 'webhook_payload', 'webhook_attempt', 'webhook_hour',
    'page_view', 'page_visitor_day', 'workspace_visitor_day', 'page_view_day', 'workspace_view_day', 'traffic_batch',
    'idempotency_key'
  ]::regclass[] loop
    execute format('alter table %s enable row level security', tenant);
    execute format($policy$
      create policy tenant on %s using (workspace_id = nullif(current_setting('tentpole.workspace_id', true), '')::uuid)
    $policy$, tenant);
    execute format('grant select, insert, update, delete on %s to tentpole_service', tenant);
  end loop;
end $$;

grant usage on schema public to tentpole_service;
grant usage on sequence delivery_token, flow_event_position to tentpole_service;
-- The view contains its own fence.
grant select on fenced_contact to tentpole_service;

comment on table schema_migration is 'The migrations that have run.';
-- Tables that belong to no workspace, or that are read before the workspace is known.
grant select on plan, table_retention, schema_migration to tentpole_service;
grant select, insert, update, delete on workspace, api_key, app_user, user_session, member, sign_in_link, passkey, passkey_challenge, page_host, due_work, due_hint, due_lag, process, token_bucket, visitor_salt to tentpole_service;
grant select, update on service_epoch to tentpole_service;
-- Consent records are never changed. Erasure deletes them.
revoke update on consent_record from tentpole_service;
-- Entries of the audit log are never changed.
grant select, insert on audit_entry to tentpole_service;

grant usage on schema jobs to tentpole_service;
grant select, insert, update, delete on jobs.job_queue to tentpole_service;

-- These functions have the rights of their owner, or serve one that has.
revoke execute on function tentpole_partitions(text), tentpole_delete_old(text, int), tentpole_delete_rows(text, text), tentpole_backlog(), tentpole_restored(bigint), tentpole_statistics(),
  tentpole_misjudged(text, text, text), tentpole_shared_senders(), tentpole_consent_gaps() from public;
grant execute on function tentpole_partitions(text), tentpole_delete_old(text, int), tentpole_backlog(), tentpole_restored(bigint), tentpole_statistics(),
  tentpole_shared_senders(), tentpole_consent_gaps() to tentpole_service;
