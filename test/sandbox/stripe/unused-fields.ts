/** The fields `names` as null: what the sandbox's account does not use. */
export function nulls(...names: string[]): Record<string, null> {
  return Object.fromEntries(names.map((name) => [name, null]));
}

/** The same for a long list: names with white space between them. */
const nullsOf = (names: string): Record<string, null> => nulls(...names.trim().split(/\s+/));

export const unusedByCheckout = nullsOf(`
  adaptive_pricing after_expiration allow_promotion_codes allowed_payment_method_types billing_address_collection
  client_secret collected_information consent consent_collection currency_conversion customer_account
  customer_creation customer_details customer_email discounts integration_identifier invoice invoice_creation locale
  managed_payments origin_context payment_intent payment_link payment_method_collection
  payment_method_configuration_details payment_method_options permissions recovered_from
  saved_payment_method_options setup_intent shipping_address_collection shipping_cost submit_type total_details
  wallet_options
`);

export const unusedBySubscription = nullsOf(`
  application application_fee_percent billing_cycle_anchor_config billing_thresholds cancellation_details
  customer_account days_until_due default_payment_method default_source description managed_payments
  next_pending_invoice_item_invoice on_behalf_of pause_collection payment_settings pending_invoice_item_interval
  pending_setup_intent pending_update schedule test_clock transfer_data trial_end trial_settings trial_start
`);

export const unusedByInvoice = nullsOf(`
  account_country account_name account_tax_ids application automatically_finalizes_at custom_fields customer_account
  customer_address customer_email customer_name customer_phone customer_shipping customer_tax_exempt
  default_payment_method default_source description due_date effective_at ending_balance footer from_invoice
  last_finalization_error latest_revision next_payment_attempt number on_behalf_of receipt_number rendering
  shipping_cost shipping_details statement_descriptor subtotal_excluding_tax test_clock total_discount_amounts
  total_excluding_tax total_pretax_credit_amounts total_taxes webhooks_delivered_at
`);
