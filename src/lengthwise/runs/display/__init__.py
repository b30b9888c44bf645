"""What people see while models are trained."""
